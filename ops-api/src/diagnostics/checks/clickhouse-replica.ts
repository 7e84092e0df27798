import { createCheck, failed, type Finding, warning } from '@popsvc/contracts/diagnostics';
import { readReplicaStates, type ReplicaState } from '@popsvc/read-models/generations';
import type { ShardEvaluation } from '../dependencies.ts';
import { describeFailure } from '../failures.ts';
import { wrongShardAdvice } from './clickhouse.ts';

const maxDelaySeconds = 60;

const check = createCheck(
  'clickhouse-replica',
  'Each replica of a ClickHouse cluster responds, accepts writes and is up to date.',
  {
    'lost-parts': failed(
      'Rows of these parts exist on no replica. The projectors rebuild the tables from the event log; see the check read-models. Check the disks of the replicas.',
    ),
    'wrong-shard': failed(wrongShardAdvice),
    down: warning(
      (subject) =>
        `Start the replica ${subject}. While a majority of the replicas responds, reports and projections continue on the others. The loss of another one may stop them.`,
    ),
    'no-database': warning(
      (subject) =>
        `The projectors create the database on a new replica within seconds. If ${subject} lost its disk, remove its former entries from Keeper: see "An empty server" in the guide for operators.`,
    ),
    'read-only': warning(
      (subject) => `The replica ${subject} has no session with Keeper. Check Keeper and the connection to it.`,
    ),
    behind: warning(
      (subject) =>
        `The replica ${subject} fetches parts more slowly than they are written. See system.replication_queue on it, its disk and its network.`,
      { threshold: maxDelaySeconds, begins: `more than ${maxDelaySeconds} s behind` },
    ),
    'not-ready': warning(
      'The projectors verify a replica within seconds after its start, and query-api uses it from then on. If this does not change, see the log of the projectors.',
    ),
    'broken-parts': warning(
      (subject) =>
        `The replica ${subject} found damaged parts, detached them and fetched them from another one. Check its disk. Then remove them on it: see "A ClickHouse cluster" in the guide for operators.`,
    ),
    'not-listed': warning('List all replicas in CLICKHOUSE_URL of the projectors and of query-api.'),
  },
);

type ReplicaProblem =
  'lost-parts' | 'wrong-shard' | 'down' | 'no-database' | 'read-only' | 'behind' | 'not-ready' | 'broken-parts';

const reportReplica = (replica: ReplicaState): readonly Finding[] => {
  const { replica: subject, state, error } = replica;
  const { readOnlyTables, delaySeconds, queuedTasks, lostParts, brokenParts } = replica;
  const report = (code: ReplicaProblem, found: string) => check.problem(code, { subject, found });
  if (state === 'wrong-shard') return [report(state, describeFailure(error))];
  if (state === 'no-database') return [report(state, 'responds, and has no database')];
  if (state === 'down') return [report(state, `does not respond: ${describeFailure(error)}`)];
  return [
    ...(lostParts > 0 ? [report('lost-parts', `${lostParts} parts are on no replica`)] : []),
    ...(readOnlyTables > 0 ? [report('read-only', `${readOnlyTables} tables cannot be written`)] : []),
    ...(delaySeconds > maxDelaySeconds
      ? [report('behind', `is ${delaySeconds} s behind, with ${queuedTasks} tasks queued`)]
      : []),
    ...(brokenParts > 0 ? [report('broken-parts', `${brokenParts} damaged parts are detached`)] : []),
    ...(state === 'not-ready'
      ? [report(state, 'its tables are not verified, or it is behind a change of the schema')]
      : []),
  ];
};

export const clickHouseReplica: ShardEvaluation = {
  check,
  scope: 'each shard',
  async evaluate({ writer }) {
    if (writer.cluster === undefined) return [check.ok({ found: 'a single server: CLICKHOUSE_CLUSTER is not set' })];
    const states = await readReplicaStates([writer]);
    const known = Math.max(...states.map(({ knownReplicas }) => knownReplicas));
    const findings = [
      ...states.flatMap(reportReplica),
      ...(known > states.length
        ? [
            check.problem('not-listed', {
              found: `CLICKHOUSE_URL lists ${states.length} of ${known} replicas`,
            }),
          ]
        : []),
    ];
    return findings.length > 0
      ? findings
      : [check.ok({ found: `${states.length} replicas respond and are up to date` })];
  },
};
