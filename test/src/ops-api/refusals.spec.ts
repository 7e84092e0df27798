import { deleteOldRefusedHours, type RefusedHour, writeRefusedHours } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { smallRegistry } from '../support/small-registry.ts';
import { startTestOps, type TestOps } from './ops.fixture.ts';

interface Refusals {
  readonly refusals: readonly {
    readonly network_id: number;
    readonly vendor: string;
    readonly code: string;
    readonly requests: number;
    readonly events: number;
    readonly latest_reason: string;
    readonly latest_at: string;
  }[];
  readonly is_truncated: boolean;
}

const hourMs = 3_600_000;

describe('GET /ops/v1/refusals', () => {
  let ops: TestOps;
  before(async () => {
    ops = await startTestOps();
    const vendors = [...smallRegistry.vendors, { code: 'beta', name: 'Beta player', network: 2 }];
    const networks = [...smallRegistry.networks, { id: 2, name: 'Inland Media', timezone: 'UTC' }];
    expect((await ops.request('POST', '/registry', { ...smallRegistry, networks, vendors })).status).to.equal(200);
  });
  after(() => ops.close());

  const list = async (query = '') => {
    const { status, body } = await ops.request('GET', `/refusals${query}`);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as Refusals;
  };
  const short = ({ refusals }: Refusals) =>
    refusals.map(({ network_id, vendor, code, requests, events, latest_reason }) =>
      [network_id, vendor, code, requests, events, latest_reason].join(' '),
    );
  const startOfHour = (hoursAgo: number) => (Math.floor(Date.now() / hourMs) - hoursAgo) * hourMs;
  const hour = (hoursAgo: number, events: number, of: Partial<RefusedHour> = {}): RefusedHour => {
    const start = startOfHour(hoursAgo);
    const acme = { network: 1, vendor: 'acme', code: 'INVALID_EVENT', requests: events };
    return { ...acme, hourMs: start, events, latestReason: `of hour ${hoursAgo}`, latestMs: start + 5, ...of };
  };

  it('is empty while no request of a vendor was refused', async () => {
    expect(await list('?network=1&vendor=acme')).to.deep.include({ refusals: [], is_truncated: false });
  });

  it('adds up hours and processes by vendor and code, and has the newest reason', async () => {
    const ofBeta = { network: 2, vendor: 'beta', code: 'RATE_LIMITED', requests: 1 };
    await writeRefusedHours(ops.postgres, 'one', [hour(1, 1), hour(25, 100)]);
    await writeRefusedHours(ops.postgres, 'one', [hour(1, 4), hour(25, 100), hour(2, 3, ofBeta)]);
    await writeRefusedHours(ops.postgres, 'two', [hour(2, 2), hour(1, 1, { code: 'RATE_LIMITED' })]);
    const listed = await list();
    expect(short(listed)).to.deep.equal([
      '1 acme INVALID_EVENT 6 6 of hour 1',
      '2 beta RATE_LIMITED 1 3 of hour 2',
      '1 acme RATE_LIMITED 1 1 of hour 1',
    ]);
    expect(Date.parse(listed.refusals[0]!.latest_at)).to.equal(startOfHour(1) + 5);
  });

  it('is limited to a network, a vendor, hours, and the most events', async () => {
    expect(short(await list('?network=2'))).to.deep.equal(['2 beta RATE_LIMITED 1 3 of hour 2']);
    expect(short(await list('?vendor=acme'))).to.have.length(2);
    const since = new Date(startOfHour(25)).toISOString();
    const first = await list(`?since=${since}&limit=1`);
    expect(short(first)).to.deep.equal(['1 acme INVALID_EVENT 106 106 of hour 1']);
    expect(first.is_truncated).to.equal(true);
  });

  it('refuses unknown vendors and networks', async () => {
    for (const query of ['?vendor=gamma', '?network=1&vendor=beta', '?network=3', '?since=now', '?code=INVALID_EVENT'])
      expect((await ops.request('GET', `/refusals${query}`)).status, query).to.equal(400);
  });

  it('covers eight days', async () => {
    await writeRefusedHours(ops.postgres, 'old', [hour(193, 1), hour(190, 1)]);
    await deleteOldRefusedHours(ops.postgres);
    const { rows } = await ops.postgres.query(`SELECT count(*)::int AS n FROM refused_hours WHERE process = 'old'`);
    expect(rows).to.deep.equal([{ n: 1 }]);
  });
});
