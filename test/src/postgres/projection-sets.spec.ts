import { listShards, nameInShard } from '@popsvc/domain/partitioning';
import {
  createLeaseStore,
  forgetProjectionSet,
  joinMember,
  migrate,
  openPostgres,
  planReplay,
  type Postgres,
  readFormerSets,
  registerProjection,
  removeMember,
  replayLeaseKey,
  suspectTables,
} from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { expect } from 'chai';
import { sharedPostgres } from '../support/engines.ts';

const log = createLog('test', 'silent');
const ofShards = (name: 'coffee' | 'plays', count: number) =>
  listShards(count).map((shard) => nameInShard(name, shard));

/** PostgreSQL has the projection coffee of a single server, of two shards and of five. */
describe('sets of projections', () => {
  let postgres: Postgres;
  beforeEach(async () => {
    postgres = openPostgres({ url: await (await sharedPostgres()).freshDatabase(), log, name: 'test' });
    await migrate(postgres);
    for (const name of [1, 2, 5].flatMap((count) => ofShards('coffee', count))) {
      await registerProjection(postgres, name, 1);
      await planReplay(postgres, { projection: name, version: 1, verify: false });
      const of = [name, 'stored'];
      await postgres.query(
        `INSERT INTO checkpoints (projection, generation, position, log_id) VALUES ($1, 1, 5, $2)`,
        of,
      );
      await postgres.query(
        `INSERT INTO parked_events (projection, generation, sequence, stream, type, error, raw) VALUES ($1, 1, 1, $2, '', '', '')`,
        of,
      );
      await postgres.query(
        `INSERT INTO projection_status (projection, generation, state, owner) VALUES ($1, 1, $2, '')`,
        of,
      );
      await postgres.query(
        `INSERT INTO table_parts (projection, generation, table_name, part, fingerprint) VALUES ($1, 1, $2, 'p', '')`,
        of,
      );
      for (const key of [{ projection: name, generation: 1 }, replayLeaseKey(name)])
        await createLeaseStore(postgres).acquire(key, 'stopped', -1_000);
    }
    for (const shards of [1, 2, 5]) {
      await suspectTables(postgres, ofShards('plays', shards), 'damaged');
      await postgres.query(`INSERT INTO derived_rows (shards, network, day, rows) VALUES ($1, 1, '2026-11-26', 7)`, [
        shards,
      ]);
      await postgres.query(`INSERT INTO log_repairs (repaired_at, shards, shard) VALUES ('now', $1, 0)`, [shards]);
    }
    await createLeaseStore(postgres).acquire({ projection: 'liveness', generation: 1 }, 'monitor', 60_000);
  });
  afterEach(() => postgres.end());

  /** The rows that name a projection or a number of shards, by set; `other` for those of no set. */
  const countRows = async () => {
    const { rows } = await postgres.query<{ of: string; rows: number }>(
      `SELECT coalesce(substring(name from '@[0-9]+of([0-9]+)$'), CASE WHEN name ~ 'coffee|plays' THEN '1' ELSE 'other' END) AS of,
         count(*)::int AS rows
       FROM (SELECT projection AS name FROM read_models UNION ALL SELECT projection FROM generations
         UNION ALL SELECT projection FROM checkpoints UNION ALL SELECT projection FROM parked_events
         UNION ALL SELECT projection FROM projection_status UNION ALL SELECT projection FROM table_parts
         UNION ALL SELECT projection FROM replays UNION ALL SELECT projection FROM leases
         UNION ALL SELECT relation FROM suspected_tables
         UNION ALL SELECT 'coffee@1of' || shards FROM derived_rows WHERE shards > 1 UNION ALL SELECT 'coffee' FROM derived_rows WHERE shards = 1
         UNION ALL SELECT 'coffee@1of' || shards FROM log_repairs WHERE shards > 1 UNION ALL SELECT 'coffee' FROM log_repairs WHERE shards = 1) AS named
       GROUP BY of`,
    );
    return Object.fromEntries(rows.map(({ of, rows: count }) => [of, count]));
  };

  it('are forgotten with everything that PostgreSQL stores for them, and nothing of the others', async () => {
    const before = await countRows();
    const forgotten = await forgetProjectionSet(postgres, 1);
    expect(forgotten).to.have.deep.property('set', { shards: 1, projections: ['coffee'], usedBy: [] });
    const { '1': ofSingle, ...rest } = before;
    expect(await countRows()).to.deep.equal(rest);
    const removed = 'rows' in forgotten ? forgotten.rows : [];
    expect(removed.reduce((sum, { rows }) => sum + rows, 0)).to.equal(ofSingle);
    expect((await readFormerSets(postgres, 5)).map(({ shards }) => shards)).to.deep.equal([2]);
    expect(await forgetProjectionSet(postgres, 1)).to.deep.include({ rows: [] });
    await forgetProjectionSet(postgres, 5);
    expect(await countRows()).to.deep.equal({ '2': rest['2'], other: 1 });
  });

  it('are forgotten with more rows than one statement deletes', async () => {
    await postgres.query(
      `INSERT INTO table_parts (projection, generation, table_name, part, fingerprint)
       SELECT 'coffee', 1, 'plays', 'p' || n, '' FROM generate_series(1, 50001) AS n`,
    );
    const forgotten = await forgetProjectionSet(postgres, 1);
    expect('rows' in forgotten && forgotten.rows).to.deep.include({ table: 'table_parts', rows: 50_002 });
    expect(await countRows()).not.to.have.property('1');
  });

  it('are kept while a process is a member or holds a lease of a projection or a replay', async () => {
    const before = await countRows();
    const leases = createLeaseStore(postgres);
    await joinMember(postgres, { member: 'running', shards: 2 });
    expect(await forgetProjectionSet(postgres, 2)).to.deep.equal({ usedBy: ['running'] });
    expect((await readFormerSets(postgres, 1)).map(({ usedBy }) => usedBy)).to.deep.equal([['running'], []]);
    await removeMember(postgres, 'running');
    for (const key of [{ projection: 'coffee@2of2', generation: 1 }, replayLeaseKey('coffee@1of2')]) {
      const epoch = await leases.acquire(key, 'late', 60_000);
      expect(await forgetProjectionSet(postgres, 2)).to.deep.equal({ usedBy: ['late'] });
      await leases.release(key, epoch!);
    }
    expect(await countRows()).to.deep.equal(before);
  });
});
