import { type CheckName, type Finding, reportProblem, reportSkipped } from '@popsvc/contracts/diagnostics';
import { DeadlineExceeded, withDeadline } from '@popsvc/platform/runtime';
import { checkClickHouseDisks, checkDisks, checkParts, checkSettings } from './capacity-checks.ts';
import { checkClocks } from './clock-check.ts';
import type { CheckedShard, DiagnosticsDependencies, Need, ShardDependencies } from './dependencies.ts';
import { checkEventLog } from './event-log-check.ts';
import { checkBulkJobs, checkQuarantine, checkUnknownReferences } from './event-checks.ts';
import { describeFailure } from './failures.ts';
import { checkAnalystViews, checkGenerations } from './generation-checks.ts';
import { checkMigrations, checkPostgresData, checkSigningKey, checkWebhooks } from './postgres-checks.ts';
import { checkProjections, checkRunningProjections } from './projection-checks.ts';
import { checkReadModels } from './read-models-check.ts';
import { checkReplicas } from './replicas-check.ts';
import { checkRemoteShards } from './remote-shards-check.ts';
import { checkReplication } from './replication-check.ts';
import { checkSchema } from './schema-check.ts';
import { checkService } from './service-check.ts';
import { addShardToName, addShardToSubject } from './shards.ts';
import { checkSealedSecrets } from './sealed-secrets-check.ts';
import { checkShares } from './shares-check.ts';
import { checkClickHouse, checkEventStore, checkNats, checkPostgres } from './store-checks.ts';
import { checkTimeZones } from './time-zone-check.ts';

/** A check of `popsvc doctor` and the function that runs it. */
interface Evaluation {
  readonly check: CheckName;
  /** What the check needs. It is skipped if one of these does not answer. */
  readonly needs?: readonly Need[];
  /** The shard that the check is about. If there are several, the findings name it. */
  readonly shard?: CheckedShard;
  readonly subject?: string;
  readonly run: () => Promise<readonly Finding[]>;
}

const defaultCheckTimeoutMs = 4_000;

const evaluationsOf = (dependencies: DiagnosticsDependencies, down: ReadonlySet<Need>): readonly Evaluation[] => {
  const { shards, postgres, checkTimeoutMs = defaultCheckTimeoutMs } = dependencies;
  /** Evaluates a check for each shard, in that shard. */
  const inEachShard = (
    check: CheckName,
    run: (shard: ShardDependencies) => Promise<readonly Finding[]>,
    ...others: readonly Need[]
  ) =>
    shards.map((shard): Evaluation => ({
      check,
      needs: [shard, ...others],
      shard,
      run: () => run({ ...shard, postgres }),
    }));
  /** A shard that answers, for checks of rows that every shard has: those of the registry and of jobs. */
  const anyShard = shards.find((shard) => !down.has(shard)) ?? shards[0]!;
  return [
    { check: 'nats', run: () => checkNats(dependencies) },
    { check: 'event-log', run: () => checkEventLog(dependencies) },
    { check: 'migrations', needs: ['postgresql'], run: () => checkMigrations(dependencies) },
    { check: 'postgresql-data', needs: ['postgresql'], run: () => checkPostgresData(dependencies, checkTimeoutMs) },
    { check: 'postgresql-replication', needs: ['postgresql'], run: () => checkReplication(dependencies) },
    ...inEachShard('schema', checkSchema, 'postgresql'),
    ...inEachShard('read-models', checkReadModels, 'postgresql'),
    ...inEachShard('generations', checkGenerations, 'postgresql'),
    ...inEachShard('analyst-views', checkAnalystViews, 'postgresql'),
    ...shards.map((shard): Evaluation => ({ check: 'clickhouse-replica', shard, run: () => checkReplicas(shard) })),
    { check: 'clickhouse-shards', run: () => checkRemoteShards(dependencies) },
    ...inEachShard('clickhouse-settings', checkSettings),
    ...inEachShard('time-zones', checkTimeZones, 'postgresql'),
    ...inEachShard('clickhouse-parts', checkParts),
    {
      check: 'projection',
      run: () =>
        down.has('postgresql')
          ? Promise.resolve(checkRunningProjections(dependencies))
          : checkProjections(dependencies),
    },
    ...inEachShard('shares', checkShares, 'postgresql'),
    { check: 'bulk-jobs', needs: [anyShard], run: () => checkBulkJobs(anyShard) },
    ...inEachShard('quarantine', checkQuarantine),
    ...inEachShard('unknown-references', checkUnknownReferences),
    { check: 'clocks', run: () => checkClocks(dependencies, down) },
    { check: 'disk', run: () => checkDisks(dependencies, down) },
    ...inEachShard('disk', checkClickHouseDisks),
    { check: 'webhooks', needs: ['postgresql'], run: () => checkWebhooks(dependencies) },
    { check: 'signing-key', needs: ['postgresql'], run: () => checkSigningKey(dependencies) },
    { check: 'sealed-secrets', needs: ['postgresql'], run: () => checkSealedSecrets(dependencies) },
    ...dependencies.services.map((service): Evaluation => ({
      check: 'service',
      subject: service.name,
      run: () => checkService(service),
    })),
  ];
};

const runWithTimeout = async (
  { check, subject, run }: Evaluation,
  checkTimeoutMs: number,
): Promise<readonly Finding[]> => {
  const about = subject === undefined ? {} : { subject };
  try {
    return await withDeadline(run(), checkTimeoutMs, check);
  } catch (error) {
    return error instanceof DeadlineExceeded
      ? [reportProblem(check, 'check-timed-out', { ...about, found: `no answer within ${checkTimeoutMs / 1_000} s` })]
      : [reportProblem(check, 'check-failed', { ...about, found: `the check failed: ${describeFailure(error)}` })];
  }
};

const nameNeed = (need: Need): string =>
  typeof need === 'string' ? need : addShardToName('clickhouse', need.writer.shard);

/**
 * Runs a check until it ends or times out, or skips it if something that it needs does not answer. Never throws: an error becomes a
 * finding.
 */
const evaluate = async (
  evaluation: Evaluation,
  { checkTimeoutMs = defaultCheckTimeoutMs }: DiagnosticsDependencies,
  down: ReadonlySet<Need> = new Set(),
): Promise<readonly Finding[]> => {
  const { check, needs = [], shard } = evaluation;
  const missing = needs.filter((need) => down.has(need)).map(nameNeed);
  const findings =
    missing.length === 0
      ? await runWithTimeout(evaluation, checkTimeoutMs)
      : [reportSkipped(check, { found: `not checked: ${missing.join(' and ')} must answer first` })];
  return shard ? findings.map((finding) => addShardToSubject(finding, shard.writer.shard)) : findings;
};

/**
 * Runs all checks of `popsvc doctor`, each with its own timeout. Checks the stores, and each shard of ClickHouse, first. If one does
 * not answer, skips the checks that need it. It is therefore reported only once.
 */
export const runDiagnostics = async (dependencies: DiagnosticsDependencies): Promise<readonly Finding[]> => {
  const stores: readonly (Evaluation & { readonly need: Need })[] = [
    { need: 'event-store', check: 'event-store', run: () => checkEventStore(dependencies) },
    ...dependencies.shards.map((shard) => ({
      need: shard,
      check: 'clickhouse' as const,
      shard,
      run: () => checkClickHouse(shard),
    })),
    { need: 'postgresql', check: 'postgresql', run: () => checkPostgres(dependencies) },
  ];
  const storeFindings = await Promise.all(stores.map((store) => evaluate(store, dependencies)));
  const isDown = (index: number) => storeFindings[index]!.some(({ outcome }) => outcome === 'failed');
  const down = new Set(stores.filter((_, index) => isDown(index)).map(({ need }) => need));
  const others = await Promise.all(
    evaluationsOf(dependencies, down).map((evaluation) => evaluate(evaluation, dependencies, down)),
  );
  return [...storeFindings.flat(), ...others.flat()];
};
