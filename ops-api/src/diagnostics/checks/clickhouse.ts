import { createCheck, failed, type Finding, storeProblems } from '@popsvc/contracts/diagnostics';
import { findWrongShard } from '@popsvc/platform/clickhouse';
import type { ShardEvaluation } from '../dependencies.ts';
import { reportFailure } from '../failures.ts';

export const wrongShardAdvice =
  'Nothing is written to this server or read from it. Correct CLICKHOUSE_URL of the projectors and of query-api, and restart them: all shards in the order of their first start, separated by semicolons, and only replicas of the same shard separated by commas.';

const check = createCheck(
  'clickhouse',
  'ClickHouse answers, and each shard in CLICKHOUSE_URL is the one that its database says.',
  {
    ...storeProblems('clickhouse'),
    'wrong-shard': failed(wrongShardAdvice),
  },
);

export const reportClickHouseFailure = (error: unknown): Finding => {
  const wrongShard = findWrongShard(error);
  return wrongShard ? check.problem('wrong-shard', { found: wrongShard.message }) : reportFailure(check, error);
};

export const clickHouse: ShardEvaluation = {
  check,
  scope: 'each shard',
  async evaluate({ writer }) {
    try {
      const [row] = await writer.rows<{ version: string }>('SELECT version() AS version', { timeoutMs: 3_000 });
      return [check.ok({ found: `answers, version ${row?.version ?? 'unknown'}` })];
    } catch (error) {
      return [reportClickHouseFailure(error)];
    }
  },
};
