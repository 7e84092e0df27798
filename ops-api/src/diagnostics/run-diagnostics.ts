import { type CheckName, type Finding, reportProblem, reportSkipped } from '@popsvc/contracts/diagnostics';
import { DeadlineExceeded, withDeadline } from '@popsvc/platform/runtime';
import { checkDisks, checkParts, checkSettings } from './capacity-checks.ts';
import { checkClocks } from './clock-check.ts';
import type { DiagnosticsDependencies, Store } from './dependencies.ts';
import { checkEventLog } from './event-log-check.ts';
import { checkBulkJobs, checkQuarantine } from './event-checks.ts';
import { describeFailure } from './failures.ts';
import { checkAnalystViews, checkGenerations } from './generation-checks.ts';
import { checkMigrations, checkPostgresData, checkSigningKey } from './postgres-checks.ts';
import { checkProjections, checkRunningProjections } from './projection-checks.ts';
import { checkReadModels } from './read-models-check.ts';
import { checkSchema } from './schema-check.ts';
import { checkService } from './service-check.ts';
import { checkShares } from './shares-check.ts';
import { checkNats, checkStore, stores } from './store-checks.ts';
import { checkTimeZones } from './time-zone-check.ts';

/** A check of `popsvc doctor` and the function that runs it. */
interface Evaluation {
  readonly check: CheckName;
  /** The stores that the check needs. The check is skipped when one of them does not answer. */
  readonly needs?: readonly Store[];
  readonly subject?: string;
  readonly run: () => Promise<readonly Finding[]>;
}

/** Maximum duration of each check. */
const checkTimeoutMs = 4_000;

const evaluationsOf = (dependencies: DiagnosticsDependencies, down: ReadonlySet<Store>): readonly Evaluation[] => [
  { check: 'nats', run: () => checkNats(dependencies) },
  { check: 'event-log', run: () => checkEventLog(dependencies) },
  { check: 'migrations', needs: ['postgresql'], run: () => checkMigrations(dependencies) },
  { check: 'postgresql-data', needs: ['postgresql'], run: () => checkPostgresData(dependencies, checkTimeoutMs) },
  { check: 'schema', needs: ['clickhouse', 'postgresql'], run: () => checkSchema(dependencies) },
  { check: 'read-models', needs: ['clickhouse', 'postgresql'], run: () => checkReadModels(dependencies) },
  { check: 'generations', needs: ['clickhouse', 'postgresql'], run: () => checkGenerations(dependencies) },
  { check: 'analyst-views', needs: ['clickhouse', 'postgresql'], run: () => checkAnalystViews(dependencies) },
  { check: 'clickhouse-settings', needs: ['clickhouse'], run: () => checkSettings(dependencies) },
  { check: 'time-zones', needs: ['clickhouse'], run: () => checkTimeZones(dependencies) },
  { check: 'clickhouse-parts', needs: ['clickhouse'], run: () => checkParts(dependencies) },
  {
    check: 'projection',
    run: () =>
      down.has('postgresql') ? Promise.resolve(checkRunningProjections(dependencies)) : checkProjections(dependencies),
  },
  { check: 'shares', needs: ['clickhouse', 'postgresql'], run: () => checkShares(dependencies) },
  { check: 'bulk-jobs', needs: ['clickhouse'], run: () => checkBulkJobs(dependencies) },
  { check: 'quarantine', needs: ['clickhouse'], run: () => checkQuarantine(dependencies) },
  { check: 'clocks', run: () => checkClocks(dependencies, down) },
  { check: 'disk', run: () => checkDisks(dependencies, down) },
  { check: 'signing-key', needs: ['postgresql'], run: () => checkSigningKey(dependencies) },
  ...dependencies.services.map((service): Evaluation => ({
    check: 'service',
    subject: service.name,
    run: () => checkService(service),
  })),
];

/** Runs a check until it ends or times out. Never throws: an error becomes a finding. */
const evaluate = async ({ check, subject, run }: Evaluation): Promise<readonly Finding[]> => {
  const about = subject === undefined ? {} : { subject };
  try {
    return await withDeadline(run(), checkTimeoutMs, check);
  } catch (error) {
    return error instanceof DeadlineExceeded
      ? [reportProblem(check, 'check-timed-out', { ...about, found: `no answer within ${checkTimeoutMs / 1_000} s` })]
      : [reportProblem(check, 'check-failed', { ...about, found: `the check failed: ${describeFailure(error)}` })];
  }
};

/** Runs a check, or skips it if a store that it needs does not answer. */
const evaluateUnlessDown = (evaluation: Evaluation, down: ReadonlySet<Store>): Promise<readonly Finding[]> => {
  const missing = (evaluation.needs ?? []).filter((store) => down.has(store));
  if (missing.length === 0) return evaluate(evaluation);
  const found = `not checked: ${missing.join(' and ')} must answer first`;
  return Promise.resolve([reportSkipped(evaluation.check, { found })]);
};

/**
 * Runs all checks of `popsvc doctor`, each with its own timeout. Checks the stores first. If a store does not answer, skips the
 * checks that need it. An unavailable store is therefore reported only once.
 */
export const runDiagnostics = async (dependencies: DiagnosticsDependencies): Promise<readonly Finding[]> => {
  const storeFindings = await Promise.all(
    stores.map((store) => evaluate({ check: store, run: () => checkStore(dependencies, store) })),
  );
  const down = new Set(stores.filter((_, index) => storeFindings[index]!.some(({ outcome }) => outcome === 'failed')));
  const others = await Promise.all(
    evaluationsOf(dependencies, down).map((evaluation) => evaluateUnlessDown(evaluation, down)),
  );
  return [...storeFindings.flat(), ...others.flat()];
};
