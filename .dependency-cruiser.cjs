/** Who may import whom; what is not said here is forbidden. test/src/house/walls.spec.ts asserts that it saw the files. */
const layers = {
  contracts: [],
  domain: ['contracts'],
  platform: ['contracts', 'domain'],
  'command-api': ['contracts', 'domain', 'platform'],
  projectors: ['contracts', 'domain', 'platform'],
  'query-api': ['contracts', 'domain', 'platform'],
  // What partners and vendors hold in their hands stands alone.
  client: [],
  operator: ['contracts', 'domain', 'platform', 'client'],
  embedded: ['contracts', 'domain', 'platform', 'command-api', 'projectors', 'query-api', 'operator'],
};
const house = Object.keys(layers);

module.exports = {
  forbidden: [
    ...Object.entries(layers).map(([layer, below]) => ({
      name: `walls-of-${layer}`,
      severity: 'error',
      from: { path: `^${layer}/` },
      to: { path: `^(${[...house, 'test'].filter((other) => other !== layer && !below.includes(other)).join('|')})/` },
    })),
    {
      // What runs in browsers knows the house by its description, and the words that are told once.
      name: 'console-stands-alone',
      severity: 'error',
      from: { path: '^operator/console/' },
      to: { path: `^(${[...house, 'test'].join('|')})/`, pathNot: '^(operator/console|contracts/src/completeness)/' },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    { name: 'pure', severity: 'error', from: { path: '^(contracts|domain)/' }, to: { dependencyTypes: ['core'] } },
    {
      name: 'query-api-cannot-write',
      severity: 'error',
      from: { path: '^query-api/' },
      to: { path: '(^platform/src/event-store|@eventstore/db-client)' },
    },
    {
      name: 'command-api-reads-no-read-model',
      severity: 'error',
      from: { path: '^command-api/' },
      to: { path: '(^platform/src/read-store|@clickhouse/client)' },
    },
    {
      name: 'one-room-knows-eventstoredb',
      severity: 'error',
      from: { pathNot: '^(platform/src/event-store|embedded/src/event-store|test)/' },
      to: { path: '@eventstore/db-client' },
    },
    {
      name: 'one-room-knows-clickhouse',
      severity: 'error',
      from: { pathNot: '^(platform/src/read-store|embedded/src/clickhouse|test)/' },
      to: { path: '@clickhouse/client' },
    },
    {
      name: 'one-room-knows-nats',
      severity: 'error',
      from: { pathNot: '^(platform/src/bus/nats|test)/' },
      to: { path: 'node_modules/nats/' },
    },
    {
      name: 'one-room-knows-express',
      severity: 'error',
      from: { pathNot: '^(platform/src/(http|auth)|test)/' },
      to: { path: 'node_modules/express/' },
    },
    {
      name: 'one-room-knows-opentelemetry',
      severity: 'error',
      from: { pathNot: '^(platform/src/tracing|test)/' },
      to: { path: '@opentelemetry/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Ours alone: the clients that one room may know live in folders named dist, too.
    exclude: { path: '^[^/]+/dist/' },
    tsConfig: { fileName: 'tsconfig.walls.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'default'] },
  },
};
