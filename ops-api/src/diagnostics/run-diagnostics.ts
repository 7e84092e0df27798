import { type Check, createCheck, failed, type Finding } from '@popsvc/contracts/diagnostics';
import { DeadlineExceeded, withDeadline } from '@popsvc/platform/runtime';
import { devicesCheck, flowCheck } from '../fleet/fleet-findings.ts';
import { analystViews } from './checks/analyst-views.ts';
import { backup } from './checks/backup.ts';
import { bulkJobs } from './checks/bulk-jobs.ts';
import { clickHouseParts } from './checks/clickhouse-parts.ts';
import { clickHouseReplica } from './checks/clickhouse-replica.ts';
import { clickHouseSettings } from './checks/clickhouse-settings.ts';
import { clickHouseShards } from './checks/clickhouse-shards.ts';
import { clickHouse } from './checks/clickhouse.ts';
import { clocks } from './checks/clocks.ts';
import { clickHouseDisks, disks } from './checks/disk.ts';
import { eventLog } from './checks/event-log.ts';
import { eventStore } from './checks/event-store.ts';
import { generationsCheck } from './checks/generations.ts';
import { migrations } from './checks/migrations.ts';
import { nats } from './checks/nats.ts';
import { postgresqlData } from './checks/postgresql-data.ts';
import { postgresqlReplication } from './checks/postgresql-replication.ts';
import { postgresql } from './checks/postgresql.ts';
import { projections } from './checks/projection.ts';
import { quarantine } from './checks/quarantine.ts';
import { readModels } from './checks/read-models.ts';
import { refusalsCheck } from './checks/refusals.ts';
import { schema } from './checks/schema.ts';
import { sealedSecrets } from './checks/sealed-secrets.ts';
import { services } from './checks/service.ts';
import { shares } from './checks/shares.ts';
import { signingKey } from './checks/signing-key.ts';
import { timeZonesCheck } from './checks/time-zones.ts';
import { unknownReferences } from './checks/unknown-references.ts';
import { webhooks } from './checks/webhooks.ts';
import {
  type CheckedShard,
  defaultCheckTimeoutMs,
  type DiagnosticsDependencies,
  type Evaluation,
  type Need,
} from './dependencies.ts';
import { describeFailure } from './failures.ts';
import { addShardToName, addShardToSubject } from './shards.ts';

/** These checks run first. If one fails, the checks that need the store are skipped, so the failure is reported only once. */
const storeEvaluations: readonly Evaluation[] = [eventStore, clickHouse, postgresql];

const evaluations: readonly Evaluation[] = [
  // A full disk can be the cause of other findings, so it comes before them.
  disks,
  clickHouseDisks,
  nats,
  eventLog,
  migrations,
  postgresqlData,
  postgresqlReplication,
  schema,
  readModels,
  generationsCheck,
  analystViews,
  clickHouseReplica,
  clickHouseShards,
  clickHouseSettings,
  timeZonesCheck,
  clickHouseParts,
  projections,
  shares,
  bulkJobs,
  quarantine,
  unknownReferences,
  clocks,
  backup,
  webhooks,
  signingKey,
  sealedSecrets,
  services,
];

export const allChecks: readonly Check[] = [
  ...new Set([...storeEvaluations, ...evaluations].map(({ check }) => check)),
  devicesCheck,
  flowCheck,
  refusalsCheck,
];

interface Task {
  readonly check: Check;
  readonly needs: readonly Need[];
  readonly shard?: CheckedShard;
  readonly run: () => Promise<readonly Finding[]>;
}

const listTasks = (
  evaluation: Evaluation,
  dependencies: DiagnosticsDependencies,
  down: ReadonlySet<Need>,
): readonly Task[] => {
  const { check } = evaluation;
  if (!('scope' in evaluation)) {
    const { needs = [] } = evaluation;
    return [{ check, needs, run: () => evaluation.evaluate(dependencies, down) }];
  }
  const { scope, needs = [] } = evaluation;
  const { shards, postgres } = dependencies;
  const toTask = (shard: CheckedShard): Task => ({
    check,
    needs: needs.map((need) => (need === 'clickhouse' ? shard : need)),
    run: () => evaluation.evaluate({ ...shard, postgres }),
  });
  if (scope === 'each shard') return shards.map((shard) => ({ ...toTask(shard), shard }));
  return [toTask(shards.find((shard) => !down.has(shard)) ?? shards[0]!)];
};

const checkErrors = {
  'check-timed-out': failed('Run doctor again; if it times out again, check the load of the component.'),
  'check-failed': failed('See the log of the projectors.'),
};

const runWithTimeout = async ({ check, run }: Task, checkTimeoutMs: number): Promise<readonly Finding[]> => {
  try {
    return await withDeadline(run(), checkTimeoutMs, check.name);
  } catch (error) {
    const failing = createCheck(check.name, check.about, checkErrors);
    return error instanceof DeadlineExceeded
      ? [failing.problem('check-timed-out', { found: `no answer within ${checkTimeoutMs / 1_000} s` })]
      : [failing.problem('check-failed', { found: `the check failed: ${describeFailure(error)}` })];
  }
};

const nameNeed = (need: Need): string =>
  typeof need === 'string' ? need : addShardToName('clickhouse', need.writer.shard);

const runTask = async (
  task: Task,
  { checkTimeoutMs = defaultCheckTimeoutMs }: DiagnosticsDependencies,
  down: ReadonlySet<Need>,
): Promise<readonly Finding[]> => {
  const { check, needs, shard } = task;
  const missing = needs.filter((need) => down.has(need)).map(nameNeed);
  const findings =
    missing.length === 0
      ? await runWithTimeout(task, checkTimeoutMs)
      : [check.skipped({ found: `not checked: ${missing.join(' and ')} must answer first` })];
  return shard ? findings.map((finding) => addShardToSubject(finding, shard.writer.shard)) : findings;
};

/** Never throws: an error or a timeout of a check becomes a finding. */
export const runDiagnostics = async (dependencies: DiagnosticsDependencies): Promise<readonly Finding[]> => {
  const down = new Set<Need>();
  const runAll = (all: readonly Evaluation[]) =>
    Promise.all(
      all
        .flatMap((evaluation) => listTasks(evaluation, dependencies, down))
        .map(async (task) => ({ task, findings: await runTask(task, dependencies, down) })),
    );
  const stores = await runAll(storeEvaluations);
  for (const { task, findings } of stores)
    if (findings.some(({ outcome }) => outcome === 'failed'))
      down.add(task.shard ?? (task.check.name as 'event-store' | 'postgresql'));
  return [...stores, ...(await runAll(evaluations))].flatMap(({ findings }) => findings);
};
