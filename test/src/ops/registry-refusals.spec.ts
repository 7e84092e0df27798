import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { ops, type TestOps, unknownZone } from './ops.fixture.ts';
import { codeOf, pathsOf, streams } from './registry.fixture.ts';

const network = { id: 2, name: 'Inland', timezone: 'Europe/Berlin' };
const definition = { network: 1, version: 1, thresholds: {} };

const refused: readonly [what: string, file: unknown, ...paths: string[]][] = [
  ['a list instead of a file', [], ''],
  ['an unknown key', { screens: [] }, 'screens'],
  ['an unknown field', { networks: [{ ...network, nmae: 'x' }] }, 'networks[0].nmae'],
  ['every missing field', { networks: [{ id: 2 }, network] }, 'networks[0].name', 'networks[0].timezone'],
  ['an id that is none', { networks: [{ ...network, id: 0 }] }, 'networks[0].id'],
  [
    'a number for a screen',
    { devices: [{ id: 9, name: 'x', location: 3, screen_ids: ['a', 1] }] },
    'devices[0].screen_ids[1]',
  ],
  ['a zone nobody knows', { networks: [{ ...network, timezone: 'Europe/Atlantis' }] }, 'networks[0].timezone'],
  ['a zone the reports do not know', { networks: [{ ...network, timezone: unknownZone }] }, 'networks[0].timezone'],
  ['a vendor code with a dash', { vendors: [{ code: 'a-b', name: 'x', network: 1 }] }, 'vendors[0].code'],
  [
    'hours that are none',
    { sites: [{ ...smallRegistry.sites[0], business_hours: { mon: ['7-22'] } }] },
    'sites[0].business_hours.mon[0]',
  ],
  [
    'references to nothing',
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
  ['an id told twice', { networks: [network, { ...network, name: 'Other' }] }, 'networks[1].id'],
  ['a name in other letters', { networks: [{ ...network, name: ' harbour MEDIA ' }] }, 'networks[0].name'],
  [
    'thresholds from before now',
    { metric_definitions: [{ ...definition, effective_from: '2026-01-01T00:00:00Z' }] },
    'metric_definitions[0].effective_from',
  ],
];

describe('POST /ops/v1/registry refuses', () => {
  let system: TestOps;
  let untouched: readonly string[];
  before(async () => {
    system = await ops();
    await system.ask('POST', '/registry', smallRegistry);
    untouched = await streams(system.store);
  });
  after(() => system.close());

  for (const [what, file, ...paths] of refused)
    it(what, async () => {
      const reply = await system.ask('POST', '/registry', file);
      expect(reply.status).to.equal(400);
      expect(codeOf(reply)).to.equal('INVALID_REQUEST');
      expect(pathsOf(reply)).to.deep.equal(paths);
      expect(await streams(system.store)).to.deep.equal(untouched);
    });

  it('thresholds from before now only until that is asked for', async () => {
    const file = { metric_definitions: [{ ...definition, effective_from: '2026-01-01T00:00:00Z' }] };
    expect((await system.ask('POST', '/registry?restate=true&dry_run=true', file)).status).to.equal(200);
  });

  it('parameters it does not know', async () => {
    for (const [query, path] of [
      ['?dryrun=true', 'dryrun'],
      ['?dry_run=yes', 'dry_run'],
      ['?dry_run=true&dry_run=true', 'dry_run'],
    ] as const) {
      const reply = await system.ask('POST', `/registry${query}`, smallRegistry);
      expect([reply.status, codeOf(reply), pathsOf(reply)]).to.deep.equal([400, 'INVALID_PARAM', [path]]);
    }
  });

  it('who is not the operator', async () => {
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
      const reply = await system.ask(method, path, body, 'another-token');
      expect([reply.status, codeOf(reply)], `${method} ${path}`).to.deep.equal([401, 'UNAUTHORIZED']);
    }
  });
});
