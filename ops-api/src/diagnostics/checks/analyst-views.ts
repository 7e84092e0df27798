import { createCheck, warning } from '@popsvc/contracts/diagnostics';
import {
  findGenerations,
  findGenerationsHiddenFromAnalysts,
  findMissingAnalystViews,
} from '@popsvc/read-models/generations';
import type { ShardEvaluation } from '../dependencies.ts';

const check = createCheck('analyst-views', 'The views of analysts read the live generations.', {
  outdated: warning(
    'The projectors retry every 30 s and log the error of ClickHouse: usually a missing right to create the database of analysts, or views with SQL SECURITY DEFINER. Reports are not affected.',
  ),
});

export const analystViews: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse', 'postgresql'],
  async evaluate({ writer, postgres, declarations }) {
    const live = await findGenerations(postgres, declarations, 'live', 'own');
    const [hidden, missing] = await Promise.all([
      findGenerationsHiddenFromAnalysts(writer, live),
      findMissingAnalystViews(writer),
    ]);
    const drifts = [
      ...hidden.map(
        ({ projection, generation }) => `the views do not read generation ${generation} of ${projection.name}`,
      ),
      ...(missing.length > 0 ? [`${missing.join(', ')} missing`] : []),
    ];
    if (drifts.length === 0) return [check.ok({ found: 'the views read the live generations' })];
    return [check.problem('outdated', { found: drifts.join('; ') })];
  },
};
