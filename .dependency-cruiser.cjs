/** Which package may import which; every other import between packages is forbidden. test/src/architecture/boundaries.e2e.spec.ts asserts that files were seen. */
const allowedImports = {
  contracts: [],
  domain: ['contracts'],
  platform: ['contracts', 'domain'],
  'http-kit': ['contracts', 'domain', 'platform'],
  'read-models': ['contracts', 'domain', 'platform'],
  'command-api': ['contracts', 'domain', 'platform', 'http-kit'],
  'ops-api': ['contracts', 'domain', 'platform', 'http-kit', 'read-models'],
  projectors: ['contracts', 'domain', 'platform', 'http-kit', 'read-models', 'ops-api'],
  'query-api': ['contracts', 'domain', 'platform', 'http-kit', 'read-models'],
  // Partners and vendors install the client alone.
  client: [],
  cli: ['contracts', 'domain', 'platform', 'client'],
  // Runs in browsers; it knows the service by its OpenAPI document.
  console: [],
  embedded: [
    'contracts',
    'domain',
    'platform',
    'http-kit',
    'read-models',
    'ops-api',
    'command-api',
    'projectors',
    'query-api',
    'cli',
  ],
  tools: [
    'contracts',
    'domain',
    'platform',
    'http-kit',
    'read-models',
    'ops-api',
    'command-api',
    'projectors',
    'query-api',
    'client',
    'cli',
    'embedded',
  ],
};
const packages = Object.keys(allowedImports);

/**
 * In a package, folders must not import each other in a cycle, even where no files do: `a/x.ts` imports `b/y.ts`, and `b/z.ts`
 * imports `a/w.ts`. Rules of scope `folder` work on the graph of folders, where a folder imports what its own files and those in the
 * folders below it import; a folder and one that contains it make no cycle. A violation names two folders and a cycle they are in.
 * Cycles between packages are excluded by `allowedImports`, so each rule looks at one package.
 */
module.exports = {
  forbidden: [
    ...Object.entries(allowedImports).map(([name, allowed]) => ({
      name: `boundary-of-${name}`,
      severity: 'error',
      from: { path: `^${name}/` },
      to: {
        path: `^(${[...packages, 'test'].filter((other) => other !== name && !allowed.includes(other)).join('|')})/`,
        // The console shares the completeness vocabulary with the service.
        ...(name === 'console' && { pathNot: '^contracts/src/completeness/' }),
      },
    })),
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    ...packages.map((name) => ({
      name: `no-folder-cycles-in-${name}`,
      severity: 'error',
      scope: 'folder',
      from: { path: `^${name}/` },
      to: { path: `^${name}/`, circular: true },
    })),
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
      to: { path: '(^platform/src/clickhouse|@clickhouse/client)' },
    },
    {
      name: 'only-adapter-imports-eventstoredb',
      severity: 'error',
      from: { pathNot: '^(platform/src/event-store|embedded/src/event-store|tools/src/bench|test)/' },
      to: { path: '@eventstore/db-client' },
    },
    {
      name: 'only-adapter-imports-clickhouse',
      severity: 'error',
      from: { pathNot: '^(platform/src/clickhouse|embedded/src/clickhouse|tools/src/bench|test)/' },
      to: { path: '@clickhouse/client' },
    },
    {
      name: 'only-adapter-imports-nats',
      severity: 'error',
      from: { pathNot: '^(platform/src/message-bus/nats-[^/]+\.ts$|test/)' },
      to: { path: 'node_modules/nats/' },
    },
    {
      name: 'only-adapter-imports-express',
      severity: 'error',
      from: { pathNot: '^(http-kit/src/(server|auth)|tools/src/bench|test)/' },
      to: { path: 'node_modules/express/' },
    },
    {
      name: 'only-adapter-imports-opentelemetry',
      severity: 'error',
      from: { pathNot: '^(platform/src/telemetry|test)/' },
      to: { path: '@opentelemetry/' },
    },
    {
      name: 'only-time-zones-import-moment',
      severity: 'error',
      from: { pathNot: '^contracts/src/time-zones/' },
      to: { path: 'node_modules/moment(-timezone)?/' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Ours alone: the clients that one room may know live in folders named dist, too.
    exclude: { path: '^[^/]+/dist/' },
    tsConfig: { fileName: 'tsconfig.boundaries.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import', 'default'] },
  },
};
