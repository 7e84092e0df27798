import type { Diagnosis, Outcome } from './finding.ts';

const marks: Readonly<Record<Outcome, string>> = { ok: 'ok', warning: 'WARNING', failed: 'FAILED', skipped: 'skipped' };
const width = Math.max(...Object.values(marks).map((mark) => mark.length));

/** A line a check; what is to be done stands below it. */
export const doctorText = ({ findings }: Diagnosis): string => {
  const longest = Math.max(...findings.map(({ check }) => check.length));
  const indent = ' '.repeat(width + 2);
  return findings
    .flatMap(({ check, outcome, found, advice }) => [
      `${marks[outcome].padEnd(width)}  ${check.padEnd(longest)}  ${found}`,
      ...(advice === null ? [] : [`${indent}→ ${advice}`]),
    ])
    .join('\n');
};
