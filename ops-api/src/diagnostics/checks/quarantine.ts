import { createCheck, type Finding, warning } from '@popsvc/contracts/diagnostics';
import { liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { quarantine as quarantineTable } from '@popsvc/read-models/tables';
import type { ShardEvaluation } from '../dependencies.ts';

const check = createCheck('quarantine', 'No event was quarantined in the last hour.', {
  growing: warning(
    '`popsvc events quarantine` shows why; a suitable mapping, or the screen in the registry, releases the events.',
  ),
});

interface QuarantineCounts {
  readonly waiting: number;
  readonly lastHour: number;
  readonly mostly?: string;
  readonly sinceMs?: number;
}

export const judgeQuarantine = ({ waiting, lastHour, mostly, sinceMs }: QuarantineCounts): Finding => {
  if (waiting === 0) return check.ok({ found: 'no event waits' });
  const found = `${waiting} event${waiting === 1 ? ' waits' : 's wait'}, ${lastHour} received in the last hour${mostly === undefined ? '' : `; mostly ${mostly}`}`;
  return lastHour === 0 ? check.ok({ found }) : check.problem('growing', { found, sinceMs });
};

const quarantineQuery: Sql = sql`
  SELECT count() AS waiting, countIf(received_at > now() - INTERVAL 1 HOUR) AS last_hour,
    topK(1)(code)[1] AS code, topK(1)(concat(vendor, ' ', schema_version))[1] AS source
  FROM ${liveViewName(quarantineTable)} WHERE state = 'waiting'`;

export const quarantine: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse'],
  async evaluate({ reader }) {
    const [counts] = await reader.rows<{ waiting: number; last_hour: number; code: string; source: string }>(
      quarantineQuery,
    );
    const { waiting = 0, last_hour: lastHour = 0, code = '', source = '' } = counts ?? {};
    return [judgeQuarantine({ waiting, lastHour, mostly: `${code} of ${source}` })];
  },
};
