import { createCheck, failed } from '@popsvc/contracts/diagnostics';
import type { ShardEvaluation } from '../dependencies.ts';

const check = createCheck('clickhouse-settings', 'ClickHouse accepts the settings that every write relies on.', {
  rejected: failed(
    'Remove what pins or forbids them: a constraint in a profile of the writing user, or a version of the server that lacks them.',
  ),
});

export const clickHouseSettings: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse'],
  async evaluate({ writer }) {
    try {
      await writer.assertSettings();
      return [check.ok({ found: 'the server accepts the settings of every write' })];
    } catch (error) {
      return [check.problem('rejected', { found: (error as Error).message })];
    }
  },
};
