import { randomBytes } from 'node:crypto';
import { listShards } from '@popsvc/domain/partitioning';
import { syncGrants } from '@popsvc/ops-api/analysts';
import { type ClickHouseWriter, openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { insertAnalyst, migrate, openPostgres, type Postgres, revokeAnalyst } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { allProjections } from '@popsvc/projectors/projections';
import { analystsShardDatabase } from '@popsvc/read-models/analysts';
import { ensureAnalystViews, ensureSchema, markRunVerified } from '@popsvc/read-models/generations';
import { expect } from 'chai';
import { clickHouseWithAnalysts, queryClickHouse, sharedPostgres, type TestClickHouse } from '../support/engines.ts';

const log = createLog('test', 'silent');
const shards = listShards(2);
const networks = [1, 2, 3, 4];
const analyst = { username: 'shard_anna', password: randomBytes(12).toString('hex') };
const granted = [2, 3, 4];

/**
 * The views of a single shard, which analysts read through `Distributed` tables. The embedded engine has none, so the login reads the
 * views of each shard directly.
 */
describe('the views of two shards, read by an analyst of some networks', function () {
  let engines: readonly TestClickHouse[];
  let writers: readonly ClickHouseWriter[];
  let postgres: Postgres;
  before(async () => {
    engines = await Promise.all(shards.map(() => clickHouseWithAnalysts([analyst])));
    const database = `popsvc_test_${randomBytes(6).toString('hex')}`;
    writers = shards.map((shard, index) =>
      openClickHouseWriter({ url: `${engines[index]!.url}/${database}`, ...engines[index]!.writer, shard }),
    );
    postgres = openPostgres({ url: await (await sharedPostgres()).freshDatabase(), log, name: 'test' });
    await migrate(postgres);
    await insertAnalyst(postgres, {
      name: analyst.username,
      networkIds: granted,
      passwordSha256: Buffer.alloc(32),
    });
    const live = allProjections.map((projection) => ({ projection, generation: 1 }));
    await Promise.all(
      writers.map(async (writer) => {
        await writer.createDatabase();
        await ensureSchema(writer, live);
        await ensureAnalystViews(writer, live);
        await markRunVerified(writer);
        await syncGrants(writer, postgres);
        // The registry is in every shard; the rows of a network are in one.
        for (const network of networks) {
          await writer.run(
            `INSERT INTO registry_networks_g1 (network_id, name, timezone, version) VALUES (${network}, 'N${network}', 'UTC', 1)`,
          );
          if ((network % 10) % writer.shard.of !== writer.shard.index) continue;
          await writer.run(
            `INSERT INTO heartbeats_g1 (network_id, device_id, app, state, at) VALUES (${network}, ${network}, 'player', 'running', now64(3))`,
          );
          await writer.run(
            `INSERT INTO coffee_thresholds_g1 (network_id, valid_from, version) VALUES (${network}, '1970-01-01 00:00:00', 1)`,
          );
        }
      }),
    );
  });
  after(async () => {
    await Promise.allSettled([postgres.end(), ...writers.map((writer) => writer.close())]);
  });

  /** Returns the networks of the rows that the analyst sees in a view of each shard. */
  const networksIn = (view: string) =>
    Promise.all(
      writers.map(async ({ database, shard }) => {
        const { ok, text } = await queryClickHouse(
          `${engines[shard.index]!.analystsUrl}/?database=${analystsShardDatabase(database, shard)}`,
          analyst,
          `SELECT DISTINCT network_id FROM ${view} ORDER BY network_id`,
        );
        if (!ok) throw new Error(text);
        return text === '' ? [] : text.split('\n').map(Number);
      }),
    );

  it('show time zones in one shard only, because analysts read the rows of all shards', async () => {
    const counts = await Promise.all(
      writers.map(({ database, shard }) =>
        queryClickHouse(
          `${engines[shard.index]!.analystsUrl}/?database=${analystsShardDatabase(database, shard)}`,
          analyst,
          `SELECT count() FROM time_zones WHERE zone = 'UTC'`,
        ),
      ),
    );
    expect(counts.map(({ text }) => text)).to.deep.equal(['1', '0']);
  });

  for (const view of ['networks', 'heartbeats', 'freshness', 'viewing_thresholds'])
    it(`show, in ${view}, the networks of the login that are in the shard`, async () => {
      expect(await networksIn(view)).to.deep.equal([[2, 4], [3]]);
    });

  it('show none after the login has lost its networks, in each shard', async () => {
    await revokeAnalyst(postgres, analyst.username);
    await Promise.all(writers.map((writer) => syncGrants(writer, postgres)));
    expect(await networksIn('networks')).to.deep.equal([[], []]);
  });
});
