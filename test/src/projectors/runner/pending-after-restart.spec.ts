import { versionAfter } from '@popsvc/contracts/events';
import { deletePartList } from '@popsvc/platform/postgres';
import { coffeeDataset } from '@popsvc/read-models/datasets';
import { progressTable } from '@popsvc/read-models/tables';
import { expect } from 'chai';
import { partsOf, pretendRestart } from '../replay/lost-parts.fixture.ts';
import { projectionNamed } from '../replay/replay-system.fixture.ts';
import { smallRegistry } from '../../support/small-registry.ts';
import { startTestSystem, type TestSystem } from '../../support/test-system.ts';

const key = { projection: 'coffee', generation: 1 };
const tables = projectionNamed('coffee').tables.map(({ name }) => name);

describe('a run after a restart of ClickHouse', function () {
  let system: TestSystem;
  before(async () => {
    system = await startTestSystem({ of: ['registry', 'coffee'] });
    await system.register(smallRegistry);
    for (const table of tables) await system.writer.run(`SYSTEM STOP MERGES ${table}_g1`);
  });
  after(() => system.close());

  /** Makes the five minutes from `from` pending. */
  const makePending = (from: string) =>
    system.writer.run(
      `INSERT INTO coffee_pending_g1 (network_id, screen_id, from_at, to_at, cause, as_of, slices, version)
       WITH parseDateTime64BestEffort({from:String}, 3, 'UTC') AS start
       SELECT 1, 'screen-1', start, start + INTERVAL 5 MINUTE, 'facts', now64(3), 1, 1`,
      { params: { from } },
    );
  /** Makes the written batches older than the last minute. A run after a restart does not repeat such batches. */
  const ageProgress = () =>
    system.writer.run(
      `ALTER TABLE ${progressTable('coffee')} UPDATE written_at = written_at - INTERVAL 10 MINUTE WHERE true
       SETTINGS mutations_sync = 1`,
    );

  it('derives pending ranges after the batches that it repeats, from their facts too', async () => {
    await system.play({ eventId: 'A' });
    await system.projectOne('coffee');
    await ageProgress();
    const kept = new Set((await partsOf(system, tables, 1)).map(({ table, name }) => `${table} ${name}`));
    await system.detection({ detectionId: 'p' });
    await system.projectOne('coffee');
    // A batch after that of the detection, so that rows of the checkpoint have a higher version than rows of the repeated batch.
    await system.play({ eventId: 'B', playedAt: '2026-08-20T15:00:00.000Z' });
    await system.projectOne('coffee');
    const rows = async () => (await system.rows(coffeeDataset)).map((row) => [row['EVENT_ID'], row['WATCHERID']]);
    const expected = [
      ['A', 1],
      ['B', null],
    ];
    expect(await rows()).to.deep.equal(expected);
    await makePending('2026-08-20T14:00:00.000Z');
    // The newer batches are of one minute, however long they took.
    await system.writer.run(
      `ALTER TABLE ${progressTable('coffee')} UPDATE written_at = now64(3) WHERE written_at > now64(3) - INTERVAL 5 MINUTE
       SETTINGS mutations_sync = 1`,
    );
    // ClickHouse loses the detection and what was derived from it, before the parts with them were listed.
    const lost = (await partsOf(system, tables, 1)).filter(
      ({ table, name }) => table !== 'coffee_pending_g1' && !kept.has(`${table} ${name}`),
    );
    expect(lost.map(({ table }) => table)).to.include.members(['detection_spans_g1', 'coffee_g1']);
    await deletePartList(system.postgres, key);
    await system.projectOne('coffee', { writer: await pretendRestart(system, lost) });
    expect(await rows()).to.deep.equal(expected);
    expect(await system.writer.rows('SELECT 1 FROM coffee_pending_g1 FINAL')).to.deep.equal([]);
  });

  it('derives ranges again that it does not fold again, if ClickHouse kept that they were derived', async () => {
    const known = new Set((await partsOf(system, ['coffee'], 1)).map(({ name }) => name));
    const newParts = async () =>
      (await partsOf(system, ['coffee'], 1)).filter(({ name, active }) => active === 1 && !known.has(name));
    const rows = () => system.writer.rows("SELECT event_id FROM coffee_g1 FINAL WHERE event_id = 'put-off'");
    await system.play({ eventId: 'put-off', playedAt: '2026-08-20T19:00:00.000Z' });
    await system.projectOne('coffee');
    // As if the batch had put the play off: it has no row, and its range is pending.
    for (const { name } of await newParts()) await system.writer.run(`ALTER TABLE coffee_g1 DROP PART '${name}'`);
    await deletePartList(system.postgres, key);
    await makePending('2026-08-20T19:00:00.000Z');
    await ageProgress();
    // Only the batch of a later play is repeated.
    await system.play({ eventId: 'later', playedAt: '2026-08-20T20:00:00.000Z' });
    await system.projectOne('coffee');
    expect(await rows(), 'derived').to.have.length(1);
    const lost = await newParts();
    expect(lost, 'one part of the batch, one of the range').to.have.length(2);
    await deletePartList(system.postgres, key);
    await system.projectOne('coffee', { writer: await pretendRestart(system, lost) });
    expect(await rows()).to.have.length(1);
  });

  it('gives rows that it derives again versions that no reader of changes has reached', async () => {
    const read = async (query: string) =>
      (await system.writer.rows<{ value: string }>(query)).map(({ value }) => BigInt(value));
    const kept = new Set((await partsOf(system, ['coffee'], 1)).map(({ name }) => name));
    await system.play({ eventId: 'C', playedAt: '2026-08-20T16:00:00.000Z' });
    await system.projectOne('coffee');
    const versions = () => read("SELECT toString(version) AS value FROM coffee_g1 WHERE event_id = 'C'");
    const [reached] = await read(`SELECT toString(max(pos)) AS value FROM ${progressTable('coffee')}`);
    const [first] = await versions();
    expect(first! < versionAfter(reached!), 'readers may have it').to.equal(true);
    const lost = (await partsOf(system, ['coffee'], 1)).filter(({ name }) => !kept.has(name));
    await deletePartList(system.postgres, key);
    await system.projectOne('coffee', { writer: await pretendRestart(system, lost) });
    const again = await versions();
    expect(again).to.have.length(1);
    expect(again[0]! >= versionAfter(reached!)).to.equal(true);
  });

  it('does not derive pending ranges again if only the checkpoint is behind', async () => {
    const { position } = await system.parts.checkpoints.read({ ...key, partition: 0 });
    await makePending('2026-08-20T14:00:00.000Z');
    await system.play({ eventId: 'D', playedAt: '2026-08-20T17:00:00.000Z' });
    await system.projectOne('coffee');
    const versions = () => system.writer.rows("SELECT version FROM coffee_g1 WHERE event_id = 'A' ORDER BY version");
    const before = await versions();
    expect(await system.writer.rows('SELECT 1 FROM coffee_pending_g1 FINAL')).to.deep.equal([]);
    // As if the last run had been killed between the progress in ClickHouse and the checkpoint in PostgreSQL.
    await system.postgres.query(`UPDATE checkpoints SET position = $1 WHERE projection = 'coffee'`, [
      position.toString(),
    ]);
    const pending: number[] = [];
    await system.projectOne('coffee', { onPending: (_projection, networks) => pending.push(networks) });
    expect(pending).to.deep.equal([0]);
    expect(await versions()).to.deep.equal(before);
  });

  it('replaces rows that an earlier run derived again from fewer facts', async () => {
    const [progress] = await system.writer.rows<{ pos: string }>(
      `SELECT toString(max(pos)) AS pos FROM ${progressTable('coffee')}`,
    );
    const ages = () => system.writer.rows("SELECT age FROM coffee_g1 FINAL WHERE event_id = 'C'");
    const before = await ages();
    const version = versionAfter(BigInt(progress!.pos)) + 19n;
    await system.writer.run(
      `INSERT INTO coffee_g1 SELECT * REPLACE ('99' AS age, ${version} AS version) FROM coffee_g1 FINAL WHERE event_id = 'C'`,
    );
    expect(await ages()).to.deep.equal([{ age: '99' }]);
    await deletePartList(system.postgres, key);
    await system.projectOne('coffee', { writer: await pretendRestart(system, []) });
    expect(await ages()).to.deep.equal(before);
  });
});
