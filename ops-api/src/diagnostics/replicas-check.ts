import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import { hasServerErrorType, WrongShardError } from '@popsvc/platform/clickhouse';
import { readReplicaStates, type ReplicaState } from '@popsvc/read-models/generations';
import type { CheckedShard } from './dependencies.ts';
import { describeFailure } from './failures.ts';

/** A replica that is further behind than this delays fail-over and reports from it. */
const maxDelaySeconds = 60;

type ReplicaProblem =
  'lost-parts' | 'wrong-shard' | 'down' | 'no-database' | 'read-only' | 'behind' | 'not-ready' | 'broken-parts';

/** Returns the problems of one replica. */
const reportReplica = (state: ReplicaState): readonly Finding[] => {
  const { replica: subject, error, isReady, readOnlyTables, delaySeconds, queuedTasks, lostParts, brokenParts } = state;
  const report = (code: ReplicaProblem, found: string) => reportProblem('clickhouse-replica', code, { subject, found });
  if (error instanceof WrongShardError) return [report('wrong-shard', error.message)];
  if (hasServerErrorType(error, ['UNKNOWN_DATABASE'])) return [report('no-database', 'responds, and has no database')];
  if (error !== undefined) return [report('down', `does not respond: ${describeFailure(error)}`)];
  return [
    ...(lostParts > 0 ? [report('lost-parts', `${lostParts} parts are on no replica`)] : []),
    ...(readOnlyTables > 0 ? [report('read-only', `${readOnlyTables} tables cannot be written`)] : []),
    ...(delaySeconds > maxDelaySeconds
      ? [report('behind', `is ${delaySeconds} s behind, with ${queuedTasks} tasks queued`)]
      : []),
    ...(brokenParts > 0 ? [report('broken-parts', `${brokenParts} damaged parts are detached`)] : []),
    ...(isReady ? [] : [report('not-ready', 'its tables are not verified, or it is behind a change of the schema')]),
  ];
};

/** Checks that each replica of a shard responds, is writable and up to date, and that all replicas are listed. */
export const checkReplicas = async ({ writer }: CheckedShard): Promise<readonly Finding[]> => {
  if (writer.cluster === undefined)
    return [reportOk('clickhouse-replica', { found: 'a single server: CLICKHOUSE_CLUSTER is not set' })];
  const states = await readReplicaStates([writer]);
  const known = Math.max(...states.map(({ knownReplicas }) => knownReplicas));
  const findings = [
    ...states.flatMap(reportReplica),
    ...(known > states.length
      ? [
          reportProblem('clickhouse-replica', 'not-listed', {
            found: `CLICKHOUSE_URL lists ${states.length} of ${known} replicas`,
          }),
        ]
      : []),
  ];
  return findings.length > 0
    ? findings
    : [reportOk('clickhouse-replica', { found: `${states.length} replicas respond and are up to date` })];
};
