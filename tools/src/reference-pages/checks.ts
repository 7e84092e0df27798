import { type Problem, READINESS_CHECKS } from '@popsvc/contracts/diagnostics';
import { allChecks } from '@popsvc/ops-api/server';
import { code, page, table } from './markdown.ts';

const adviceText = ({ advice }: Problem): string => (typeof advice === 'string' ? advice : advice('…'));

export const checksPage = (): string =>
  page('Checks', '`ops-api/src/diagnostics/checks`', [
    'A check has the same name everywhere: `check` in a finding of `popsvc doctor` and of the overview, the name in `/readyz` and in `popsvc_dependency_up`, the label `check` of an alert. Some problems are trends, which only an [alert](../guides/operators/on-call.md#alerts) can report.',
    '`popsvc doctor` evaluates all checks but `refusals`, which only the overview reports.',
    table(
      ['Check', 'Passes when'],
      allChecks.map(({ name, about }) => [code(name), about]),
    ),
    '## Readiness',
    'A process is not ready while one of its checks fails. `objects`: the store of uploaded files answers. `registry`: the process has read the registry from the log.',
    table(
      ['Process', 'Checks'],
      Object.entries(READINESS_CHECKS).map(([process, names]) => [process, names.map(code).join(', ')]),
    ),
    '## Problems',
    'The severity is that of the finding. An alert has its own: it looks at a trend, the doctor at a moment.',
    table(
      ['Check', 'Problem', 'Severity', 'What to do'],
      allChecks.flatMap(({ name, problems }) =>
        Object.entries(problems).map(([problem, declared]) => [
          code(name),
          code(problem),
          declared.severity,
          adviceText(declared),
        ]),
      ),
    ),
  ]);
