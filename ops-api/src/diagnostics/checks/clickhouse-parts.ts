import { createCheck, failed, warning } from '@popsvc/contracts/diagnostics';
import type { ShardEvaluation } from '../dependencies.ts';
import { readServers } from '../shards.ts';

/** ClickHouse by default rejects inserts at 3,000 parts in a partition. These limits leave time to act before that. */
const warningParts = 300;
const failureParts = 1_500;

const advice =
  'Merges do not keep up: check CPU, disk and mutations (system.mutations). At 3,000 parts inserts are refused.';

const check = createCheck('clickhouse-parts', 'Merges in ClickHouse keep up with inserts.', {
  excessive: failed(advice, { begins: `more than ${failureParts} parts in a partition` }),
  many: warning(advice, { threshold: warningParts, begins: `more than ${warningParts} parts in a partition` }),
});

const partsSql = `
  SELECT table, toFloat64(count()) AS parts FROM system.parts WHERE active AND database = currentDatabase()
  GROUP BY table, partition_id ORDER BY parts DESC LIMIT 1`;

export const clickHouseParts: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse'],
  async evaluate({ writer }) {
    const servers = await readServers(writer, (server) =>
      server.rows<{ table: string; parts: number }>(partsSql, { timeoutMs: 3_000 }),
    );
    const [largest] = servers
      .flatMap(({ place, value }) => value.map((partition) => ({ ...partition, place })))
      .toSorted((one, other) => other.parts - one.parts);
    if (!largest) return [check.ok({ found: 'no table has rows' })];
    const { table, parts, place } = largest;
    const found = `${table} has ${parts} parts in one partition${place}`;
    if (parts > failureParts) return [check.problem('excessive', { found })];
    if (parts > warningParts) return [check.problem('many', { found })];
    return [check.ok({ found: `${found}, the most of all tables` })];
  },
};
