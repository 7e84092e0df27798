import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { readCompleteness } from '@popsvc/ops-api/server';
import { expect } from 'chai';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';
import { registryOf } from './completeness.fixture.ts';

const [minuteMs, hourMs] = [60_000, 3_600_000];
const startMs = Date.UTC(2026, 4, 2);
const hours = 6;
const shown = ['s-0', 's-1'];
/** Rows of a granule of the dataset, the least that ClickHouse reads. */
const granule = 2_048;

/** Returns how many rows ClickHouse reads for the queries of `work`, from the summary in the headers of its responses. */
const countRowsRead = async (work: () => Promise<unknown>): Promise<number> => {
  let rows = 0;
  const onResponse = (message: unknown) => {
    const { response } = message as { readonly response: IncomingMessage };
    const summary = response.headers['x-clickhouse-summary'];
    if (typeof summary === 'string') rows += Number((JSON.parse(summary) as { read_rows: string }).read_rows);
  };
  subscribe('http.client.response.finish', onResponse);
  try {
    await work();
  } finally {
    unsubscribe('http.client.response.finish', onResponse);
  }
  return rows;
};

describe('the cost of completeness', function () {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem();
  });
  after(() => system.close());

  /**
   * Writes a play every `secondsApart` of each screen. The shown screens are silent in the third hour; their devices are offline in
   * the second and the sixth hour, and send the plays of the second one ten minutes late.
   */
  const writeNetwork = async (network: number, screens: number, secondsApart: number) => {
    const count = screens * ((hours * 3_600) / secondsApart);
    const rows = `SELECT ${network} AS network_id, number AS n, concat('s-', toString(n % ${screens})) AS screen_id,
        fromUnixTimestamp64Milli(${startMs} + intDiv(n, ${screens}) * ${secondsApart * 1_000} + (n % ${screens}) * 7, 'UTC') AS at,
        at + if(n % ${screens} < ${shown.length} AND toHour(at) = 1, 610, 10) AS recorded_at
      FROM numbers(${count}) WHERE NOT (n % ${screens} < ${shown.length} AND toHour(at) = 2)`;
    await system.writer.run(`INSERT INTO coffee_g1
      (network_id, ts, number, vendor, event_id, screen_id, device_id, duration_ms, recorded_at, version, is_deleted)
      SELECT network_id, at, n, 'acme', toString(n), screen_id, n % ${screens} + 1, 10000, recorded_at, 1, 0 FROM (${rows})`);
    await system.writer
      .run(`INSERT INTO play_spans_g1 (network_id, screen_id, span, vendor, event_id, played_at, ended_at, recorded_at)
      SELECT network_id, screen_id, intDiv(toUnixTimestamp(at), 300), 'acme', toString(n), at, at + 10, recorded_at FROM (${rows})`);
    for (const hour of [1, 5])
      await system.writer.run(`INSERT INTO outages_g1 (network_id, kind, id, offline_at, online_at, pos)
        SELECT ${network}, 'device', number + 1, fromUnixTimestamp64Milli(${startMs + hour * hourMs}, 'UTC') AS at, at + 3600, ${hour}
        FROM numbers(${shown.length})`);
    return count;
  };
  const read = (network: number) => {
    const registry = registryOf([
      [
        startMs - hourMs,
        {
          networks: [{ id: network, name: 'N', timezone: 'UTC' }],
          sites: [{ id: 2, name: 'S', network, timezone: 'UTC' }],
          locations: [{ id: 3, name: 'L', site: 2 }],
          devices: shown.map((screen, index) => ({ id: index + 1, name: screen, location: 3, screen_ids: [screen] })),
        },
      ],
    ]);
    const wanted = { network, from: startMs, to: startMs + hours * hourMs, limit: 10 };
    const options = { nowMs: wanted.to + minuteMs, live: { coffee: 1, uptime: 1 } };
    return readCompleteness(system.reader, registry, wanted, options);
  };

  it('depends on the cells, not on the plays of the network', async () => {
    const plays = await writeNetwork(1, 400, 10);
    const cells = shown.length * hours;
    const { screens } = await read(1);
    expect(screens).to.have.length(shown.length);
    for (const screen of screens) expect(screen.cells).to.equal('pbo' + 'p'.repeat(3));
    const rows = await countRowsRead(() => read(1));
    expect(plays).to.be.above(800_000);
    expect(rows).to.be.within(1, 4 * cells * granule);
  });
});
