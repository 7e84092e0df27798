import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestOps, type TestOps } from './ops.fixture.ts';
import { codeOf, pathsOf, readRegistryEvents } from './registry.fixture.ts';

// cspell:ignore nmae dryrun

const network = { id: 2, name: 'Inland', timezone: 'Europe/Berlin' };
const definition = { network: 1, version: 1, thresholds: {} };

const rejectedFiles: readonly [what: string, file: unknown, ...paths: string[]][] = [
  ['a list instead of a file', [], ''],
  ['an unknown key', { screens: [] }, 'screens'],
  ['an unknown field', { networks: [{ ...network, nmae: 'x' }] }, 'networks[0].nmae'],
  ['every missing field', { networks: [{ id: 2 }, network] }, 'networks[0].name', 'networks[0].timezone'],
  ['an invalid id', { networks: [{ ...network, id: 0 }] }, 'networks[0].id'],
  [
    'a number for a screen',
    { devices: [{ id: 9, name: 'x', location: 3, screen_ids: ['a', 1] }] },
    'devices[0].screen_ids[1]',
  ],
  ['an unknown time zone', { networks: [{ ...network, timezone: 'Europe/Atlantis' }] }, 'networks[0].timezone'],
  ['a time zone in other letters', { networks: [{ ...network, timezone: 'europe/berlin' }] }, 'networks[0].timezone'],
  ['a vendor code with a dash', { vendors: [{ code: 'a-b', name: 'x', network: 1 }] }, 'vendors[0].code'],
  [
    'invalid business hours',
    { sites: [{ ...smallRegistry.sites[0], business_hours: { mon: ['7-22'] } }] },
    'sites[0].business_hours.mon[0]',
  ],
  [
    'references to unknown entities',
    {
      locations: [
        { id: 9, name: 'x', site: 77 },
        { id: 10, name: 'y', site: 78 },
      ],
    },
    'locations[0].site',
    'locations[1].site',
  ],
  [
    'a screen of another device',
    { devices: [{ id: 9, name: 'x', location: 3, screen_ids: ['screen-1'] }] },
    'devices[0].screen_ids[0]',
  ],
  ['a repeated id', { networks: [network, { ...network, name: 'Other' }] }, 'networks[1].id'],
  [
    'a name that differs only in case and spaces',
    { networks: [{ ...network, name: ' harbour MEDIA ' }] },
    'networks[0].name',
  ],
  [
    'thresholds effective in the past',
    { metric_definitions: [{ ...definition, effective_from: '2026-01-01T00:00:00Z' }] },
    'metric_definitions[0].effective_from',
  ],
];

describe('POST /ops/v1/registry', () => {
  let system: TestOps;
  let untouched: readonly string[];
  before(async () => {
    system = await startTestOps();
    await system.request('POST', '/registry', smallRegistry);
    untouched = await readRegistryEvents(system.store);
  });
  after(() => system.close());

  for (const [what, file, ...paths] of rejectedFiles)
    it(`rejects ${what}`, async () => {
      const reply = await system.request('POST', '/registry', file);
      expect(reply.status).to.equal(400);
      expect(codeOf(reply)).to.equal('INVALID_REQUEST');
      expect(pathsOf(reply)).to.deep.equal(paths);
      expect(await readRegistryEvents(system.store)).to.deep.equal(untouched);
    });

  it('accepts thresholds effective in the past with restate=true', async () => {
    const file = { metric_definitions: [{ ...definition, effective_from: '2026-01-01T00:00:00Z' }] };
    expect((await system.request('POST', '/registry?restate=true&dry_run=true', file)).status).to.equal(200);
  });

  it('rejects unknown and invalid parameters', async () => {
    for (const [query, path] of [
      ['?dryrun=true', 'dryrun'],
      ['?dry_run=yes', 'dry_run'],
      ['?dry_run=true&dry_run=true', 'dry_run'],
    ] as const) {
      const reply = await system.request('POST', `/registry${query}`, smallRegistry);
      expect([reply.status, codeOf(reply), pathsOf(reply)]).to.deep.equal([400, 'INVALID_PARAM', [path]]);
    }
  });

  it('rejects requests without the operator token', async () => {
    for (const [method, path] of [
      ['POST', '/registry'],
      ['GET', '/registry'],
      ['POST', '/api-keys'],
      ['GET', '/api-keys'],
      ['DELETE', '/api-keys/x'],
      ['POST', '/clients'],
      ['GET', '/clients'],
      ['POST', '/clients/x/rotate'],
      ['DELETE', '/clients/x'],
      ['GET', '/projections'],
    ] as const) {
      const body = method === 'POST' ? {} : undefined;
      const reply = await system.request(method, path, body, 'another-token');
      expect([reply.status, codeOf(reply)], `${method} ${path}`).to.deep.equal([401, 'UNAUTHORIZED']);
    }
  });
});
