import { alertRuleGroups, type CheckDeclaration, CHECKS, type ProblemDeclaration } from '@popsvc/contracts/diagnostics';
import { stringify } from 'yaml';
import { code, page, table } from './markdown.ts';

const checks: readonly (readonly [name: string, CheckDeclaration])[] = Object.entries(CHECKS);

const problems: readonly (readonly [check: string, problem: string, ProblemDeclaration])[] = checks.flatMap(
  ([check, { problems: declared = {} }]) =>
    Object.entries(declared).map(([problem, declaration]) => [check, problem, declaration] as const),
);

export const checksPage = (): string =>
  page('Checks', '`contracts/src/diagnostics/checks.ts`', [
    'A check has the same name everywhere: `check` in a finding of `popsvc doctor` and of the overview, the name in `/readyz` and in `popsvc_dependency_up`, the label `check` of an alert.',
    table(
      ['Check', 'Passes when', 'Evaluated by', 'Not ready while it fails'],
      checks.map(([name, { about, evaluatedBy = [], readiness = [], problems: declared = {} }]) => {
        const hasAlert = Object.values(declared).some(({ alert }) => alert !== undefined);
        return [
          code(name),
          about,
          [...evaluatedBy, ...(hasAlert ? ['Prometheus'] : [])].join(', '),
          readiness.join(', '),
        ];
      }),
    ),
    '## Problems',
    'The severity is that of the finding. An alert has its own severity: it looks at a trend, the doctor at a moment. The [guide for operators](../guides/operators.md#alerts) explains each alert.',
    table(
      ['Check', 'Problem', 'Severity', 'Alert', 'What to do'],
      problems.map(([check, problem, { severity, advice, alert }]) => [
        code(check),
        code(problem),
        severity,
        alert ? `${code(alert.name)} (${alert.severity})` : '',
        advice,
      ]),
    ),
  ]);

const note = `# Generated from contracts/src/diagnostics by \`npm run reference\`; a test fails when this file is stale.
# The label \`check\` of an alert names a check in docs/reference/checks.md; its runbook is a section of docs/guides/operators.md.
`;

/** Builds the alert rules file for Prometheus. */
export const alertRulesFile = (): string => {
  const rules = stringify({ groups: alertRuleGroups() }, { lineWidth: 0, singleQuote: true });
  return note + rules.replaceAll(/(?<!rules:)\n(?= *- (?:alert|name):)/g, '\n\n').replace('groups:\n\n', 'groups:\n');
};
