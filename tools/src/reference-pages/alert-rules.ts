import { alertRuleGroups } from '@popsvc/contracts/diagnostics';
import { stringify } from 'yaml';

const note = `# Generated from contracts/src/diagnostics by \`npm run reference\`; a test fails when this file is stale.
# The label \`check\` of an alert names a check in docs/reference/checks.md; its runbook is a section of docs/guides/operators.md.
`;

/** The rules file of Prometheus. */
export const alertRulesFile = (): string => {
  const rules = stringify({ groups: alertRuleGroups() }, { lineWidth: 0, singleQuote: true });
  return note + rules.replaceAll(/(?<!rules:)\n(?= *- (?:alert|name):)/g, '\n\n').replace('groups:\n\n', 'groups:\n');
};
