import { createCheck, warning } from '@popsvc/contracts/diagnostics';
import { shardOwnsNetwork } from '@popsvc/domain/partitioning';
import { liveViewName, type Sql, sql } from '@popsvc/platform/clickhouse';
import { readExhaustedNetworks } from '@popsvc/platform/postgres';
import { pendingView } from '@popsvc/read-models/tables';
import type { ShardEvaluation } from '../dependencies.ts';

const check = createCheck('shares', 'No network waits for the derivation of its rows.', {
  waiting: warning(
    'The network has used its rows of this UTC day; its facts are stored, and its rows follow on the next day. Raise DERIVED_ROWS_PER_DAY of the projectors if the rows are wanted, and ask the vendor if they are not.',
  ),
  behind: warning(
    'The network sends more plays and detections for the same devices and times than a batch derives; it takes turns with the others until it has caught up. Ask the vendor whether the data is real.',
  ),
});

interface PendingShare {
  readonly projection: string;
  readonly network: number;
  readonly last: number;
  readonly ranges: number;
  readonly as_of_ms: number;
}

const pendingQuery: Sql = sql`
  SELECT projection, toFloat64(network_id) AS network, toFloat64(last_network) AS last, toFloat64(ranges) AS ranges,
    toFloat64(toUnixTimestamp64Milli(as_of)) AS as_of_ms
  FROM ${liveViewName(pendingView)} ORDER BY as_of`;

export const shares: ShardEvaluation = {
  check,
  scope: 'each shard',
  needs: ['clickhouse', 'postgresql'],
  async evaluate({ writer, reader, postgres }) {
    const [networks, allExhausted] = await Promise.all([
      reader.rows<PendingShare>(pendingQuery),
      readExhaustedNetworks(postgres, writer.shard.of),
    ]);
    const exhausted = allExhausted.filter(({ network }) => shardOwnsNetwork(writer.shard, network));
    const findings = [
      ...exhausted.map(({ network, rows, sinceMs }) =>
        check.problem('waiting', {
          subject: `network ${network}`,
          found: `${rows} rows derived today, which is its daily budget`,
          sinceMs,
        }),
      ),
      ...networks
        .filter(({ network, last }) => last !== network || !exhausted.some((each) => each.network === network))
        .map(({ projection, network, last, ranges, as_of_ms: sinceMs }) =>
          check.problem('behind', {
            subject: last === network ? `network ${network}` : `networks ${network} to ${last}`,
            found: `${ranges} ranges of ${projection} are derived later than those of other networks`,
            sinceMs,
          }),
        ),
    ];
    return findings.length > 0 ? findings : [check.ok({ found: 'no network exceeds its share' })];
  },
};
