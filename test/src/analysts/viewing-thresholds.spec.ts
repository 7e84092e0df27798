import { expect } from 'chai';
import { type AnalystsSystem, startAnalystsSystem } from './analysts.fixture.ts';
import { pryingQueries } from './hostile-queries.ts';

describe('the view viewing_thresholds of analysts', () => {
  let world: AnalystsSystem;
  before(async () => {
    world = await startAnalystsSystem([
      { name: 'anna', networks: [1] },
      { name: 'bert', networks: [2] },
    ]);
    await world.system.register({
      networks: [1, 2].map((id) => ({ id, name: `Network ${id}`, timezone: 'UTC' })),
      vendors: [{ code: 'acme', name: 'Acme player', network: 1 }],
      metric_definitions: [
        { network: 1, version: 3, effective_from: '2026-08-20T12:00:00Z', thresholds: { impression_ms: 1_500 } },
        { network: 1, version: 4, effective_from: '2026-08-21T00:00:00Z', thresholds: { view_through_share: 0.9 } },
      ],
    });
    for (const [eventId, playedAt] of [
      ['before', '2026-08-20T11:59:59.000Z'],
      ['after', '2026-08-20T12:00:00.000Z'],
    ] as const)
      await world.system.play({ eventId, screenId: 'screen-1', campaignId: 'C-1', creativeId: 'CR-1', playedAt });
    await world.system.project();
  });
  after(() => world.system.close());

  it('has the thresholds of each period of the networks of the login', async () => {
    const sql = `SELECT network_id, starts_at, ends_at, definition, min_presence_seconds, merge_gap_seconds, impression_seconds,
      glance_seconds, view_seconds, view_through_absence_seconds, view_through_share FROM viewing_thresholds ORDER BY starts_at`;
    const rowsOf = async (who: number) =>
      (await world.rows<Readonly<Record<string, unknown>>>(world.analysts[who]!, sql)).map((row) => Object.values(row));
    const first = '1970-01-01 00:00:00.000';
    const [second, third] = ['2026-08-20 12:00:00.000', '2026-08-21 00:00:00.000'];
    expect(await rowsOf(0)).to.deep.equal([
      [1, first, second, 0, 0.1, 0.3, 1, 0.5, 2, 0.5, 0.75],
      [1, second, third, 3, 0.1, 0.3, 1.5, 0.5, 2, 0.5, 0.75],
      [1, third, null, 4, 0.1, 0.3, 1, 0.5, 2, 0.5, 0.9],
    ]);
    expect(await rowsOf(1)).to.deep.equal([[2, first, null, 0, 0.1, 0.3, 1, 0.5, 2, 0.5, 0.75]]);
  });

  it('shows nothing of other networks in the errors of queries', async () => {
    for (const sql of pryingQueries('viewing_thresholds', [1])) {
      const { ok, text } = await world.query(world.analysts[0]!, sql);
      expect(ok, `${sql}: ${text}`).to.equal(true);
    }
  });

  it('can be joined with plays by the start of the play', async () => {
    expect(
      await world.rows(
        world.analysts[0]!,
        `SELECT event_id, impression_seconds FROM plays AS p
         ASOF JOIN viewing_thresholds AS t ON t.network_id = p.network_id AND t.starts_at <= p.played_at ORDER BY played_at`,
      ),
    ).to.deep.equal([
      { event_id: 'before', impression_seconds: 1 },
      { event_id: 'after', impression_seconds: 1.5 },
    ]);
  });
});
