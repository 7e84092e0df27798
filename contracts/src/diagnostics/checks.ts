import type { CHECK_ERRORS, ServiceName } from './check-declaration.ts';
import { apiChecks } from './api-checks.ts';
import { dependencyChecks } from './dependency-checks.ts';
import { ingestionChecks } from './ingestion-checks.ts';
import { processChecks } from './process-checks.ts';
import { projectionChecks } from './projection-checks.ts';
import { storeChecks } from './store-checks.ts';

/**
 * All checks of the service. Each check declares the problems that it can find and what the operator should do about them. The
 * checks are evaluated by `popsvc doctor`, the overview, `/readyz` and the Prometheus alerts. A check has the same name
 * everywhere: in the field `check` of a finding, in `/readyz`, and in the label `check` of an alert.
 *
 * This file only declares the checks. `ops-api/src/diagnostics` evaluates the checks for the doctor and the overview, because
 * ops-api has access to all stores. Each process evaluates its own readiness checks (`ReadinessChecks`) with the stores that it
 * uses. No readiness check calls another process. For example, query-api does not ask whether the projectors are ready. Instead,
 * it checks that the schema created by the projectors exists. `alertRuleGroups` builds the rules of `deploy/prometheus/alerts.yml`.
 */
export const CHECKS = {
  ...dependencyChecks,
  ...ingestionChecks,
  ...projectionChecks,
  ...apiChecks,
  ...storeChecks,
  ...processChecks,
} as const;

export type CheckName = keyof typeof CHECKS;

export const checkNames = Object.keys(CHECKS) as CheckName[];

/** The problem codes that a check can report. */
export type ProblemCode<Check extends CheckName> =
  | keyof typeof CHECK_ERRORS
  | ((typeof CHECKS)[Check] extends { readonly problems: infer Problems } ? keyof Problems & string : never);

type ReadinessCheckName<Service extends ServiceName> = {
  [Check in CheckName]: (typeof CHECKS)[Check] extends { readonly readiness: readonly (infer Ready)[] }
    ? Service extends Ready
      ? Check
      : never
    : never;
}[CheckName];

/**
 * The readiness checks of a process: exactly those whose declaration names the process. Each function rejects while the process
 * is not ready.
 */
export type ReadinessChecks<Service extends ServiceName> = Readonly<
  Record<ReadinessCheckName<Service>, () => Promise<unknown>>
>;
