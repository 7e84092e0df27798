import { rm } from 'node:fs/promises';
import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { deletePartList } from '@popsvc/platform/postgres';
import { expect } from 'chai';
import { runTo } from '../parking/parked.fixture.ts';
import { readTables } from '../rebuild.fixture.ts';
import { killableClickHouse } from '../../support/engines.ts';
import { waitUntil } from '@popsvc/tools/rig';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { build } from './building.fixture.ts';
import { type Part, partsOf, pretendCrash, pretendRestart } from './lost-parts.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const at = (seconds: number) => new Date(Date.parse('2026-08-20T14:00:00.000Z') + seconds * 1_000).toISOString();

/** Plays of the generation that is built. */
const plays = isLong ? 12 : 6;

/** Kills the server, deletes the parts and starts it again. */
const killAndDelete = async (
  system: TestSystem,
  engine: Awaited<ReturnType<typeof killableClickHouse>>,
  lost: readonly Part[],
) => {
  engine.kill();
  for (const { path } of lost) await rm(path, { recursive: true });
  await engine.restart();
  const isThere = () => system.writer.rows('SELECT 1').catch(() => []);
  await waitUntil(isThere, (rows) => rows.length === 1, 20_000);
  await pretendCrash(system.writer, 'coffee');
  return system.writer;
};

/** After a restart of ClickHouse, the end of a build is repeated like the end of any run. */
describe(`a generation built just before ClickHouse ${isLong ? 'was killed' : 'lost parts'}`, function () {
  let system: TestSystem;
  let lose: (lost: readonly Part[]) => Promise<ClickHouseWriter>;
  before(async () => {
    const engine = isLong ? await killableClickHouse() : undefined;
    system = await startTestSystem({ engine, of: ['registry', 'coffee'] });
    lose = (lost) => (engine ? killAndDelete(system, engine, lost) : pretendRestart(system, lost));
    await system.register(smallRegistry);
    for (let count = 0; count < plays; count += 1) {
      await system.play({ eventId: `play-${count}`, playedAt: at(count * 600) });
      await system.detection({ startedAt: at(count * 600 + 1), endedAt: at(count * 600 + 9) });
    }
    await build(system, 'coffee', 2, { limits: { rows: 8, bytes: 1e9, ageMs: 50 } });
    await system.play({ eventId: 'after', playedAt: at(9_000) });
    for (const generation of [1, 2]) await runTo(system, 'coffee', { generation });
  });
  after(() => system.close());

  const runBoth = async (writer: ClickHouseWriter) => {
    for (const generation of [1, 2]) await runTo(system, 'coffee', { generation, writer });
  };

  const lostAndFound = async (tables: readonly string[], next = runBoth) => {
    const lost = await partsOf(system, tables);
    expect(new Set(lost.map(({ table }) => table)).size).to.equal(tables.length);
    // The list of parts is stored with a delay, so it does not contain the newest parts.
    await deletePartList(system.postgres, { projection: 'coffee', generation: 2 });
    const writer = await lose(lost);
    expect((await partsOf(system, tables)).filter(({ active }) => active)).to.deep.equal([]);
    await next(writer);
    const [live, repaired] = [await readTables(system, 1), await readTables(system, 2)];
    expect(live['coffee']).to.have.length(plays + 1);
    for (const [table, rows] of Object.entries(live)) expect(repaired[table], table).to.deep.equal(rows);
  };

  it('rebuilds lost facts and the rows derived from them', () => lostAndFound(['plays', 'play_spans', 'coffee']));

  it('rebuilds lost facts when its replay resumes, and reads no further than its end', () =>
    lostAndFound(['plays', 'play_spans', 'coffee'], async (writer) => {
      await system.play({ eventId: 'play-5', playedAt: at(3_000) });
      await build(system, 'coffee', 2, { writer, silenceTimeout: { catchUpMs: 10_000, liveMs: 2_000 } });
      await runTo(system, 'coffee', { writer });
    }));

  if (isLong) {
    it('rebuilds lost derived rows', () => lostAndFound(['coffee']));

    it('rebuilds lost placements and receipts', () => lostAndFound(['screen_places', 'receipts', 'detections']));
  }

  it('continues over events appended meanwhile', async () => {
    await system.play({ eventId: 'play-3', playedAt: at(20_000) });
    await system.play({ eventId: 'last', playedAt: at(9_600) });
    for (const generation of [1, 2]) await runTo(system, 'coffee', { generation });
    const [live, repaired] = [await readTables(system, 1), await readTables(system, 2)];
    expect(live['coffee']).to.have.length(plays + 2);
    expect(repaired).to.deep.equal(live);
  });
});
