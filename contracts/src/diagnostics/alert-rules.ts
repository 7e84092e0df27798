import {
  ALERT_GROUPS,
  type AlertDeclaration,
  type CheckDeclaration,
  type ProblemDeclaration,
} from './check-declaration.ts';
import { CHECKS } from './checks.ts';

/** An alert rule in Prometheus format. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<'severity' | 'check', string>> & { readonly problem?: string };
  readonly annotations: Readonly<Record<'summary' | 'description' | 'runbook', string>>;
}

export interface AlertRuleGroup {
  readonly name: string;
  readonly rules: readonly AlertRule[];
}

const runbookOf = (name: string) => `docs/guides/operators.md#${name.toLowerCase()}`;

const problemRule = (
  check: string,
  problem: string,
  { advice }: ProblemDeclaration,
  { name, expr, for: duration, severity, summary, subjectLabel }: AlertDeclaration,
): AlertRule => ({
  alert: name,
  expr,
  ...(duration !== undefined && { for: duration }),
  labels: { severity, check, problem },
  annotations: {
    summary,
    description: subjectLabel === undefined ? advice : advice.replaceAll('{subject}', `{{ $labels.${subjectLabel} }}`),
    runbook: runbookOf(name),
  },
});

/** One rule for all readiness checks: the label `dependency` of the metric is the name of the check. */
const readinessRule: AlertRule = {
  alert: 'DependencyDown',
  expr: 'min by (service, dependency) (popsvc_dependency_up) == 0',
  for: '2m',
  labels: { severity: 'critical', check: '{{ $labels.dependency }}' },
  annotations: {
    summary: '{{ $labels.service }} does not reach {{ $labels.dependency }}',
    description: 'popsvc doctor shows why, and what to do.',
    runbook: runbookOf('DependencyDown'),
  },
};

/** Returns the alert rules of all checks. `deploy/prometheus/alerts.yml` is generated from them. */
export const alertRuleGroups = (): readonly AlertRuleGroup[] =>
  Object.entries(ALERT_GROUPS).map(([key, name]) => ({
    name,
    rules: [
      ...(key === 'general' ? [readinessRule] : []),
      ...Object.entries<CheckDeclaration>(CHECKS).flatMap(([check, { problems = {} }]) =>
        Object.entries(problems).flatMap(([code, problem]) =>
          problem.alert?.group === key ? [problemRule(check, code, problem, problem.alert)] : [],
        ),
      ),
    ],
  }));
