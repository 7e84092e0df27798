import {
  findGenerations,
  findMissingAnalystViews,
  findGenerationsHiddenFromAnalysts,
} from '@popsvc/read-models/generations';
import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { type Finding, ok, warning } from './finding.ts';

const check = 'views of analysts';

/** Whether analysts see what other readers see, of their networks. */
export const lookAtAnalysts = async ({
  writer,
  postgres,
  declarations,
}: Pick<DiagnosticsDependencies, 'writer' | 'postgres' | 'declarations'>) => {
  const live = await findGenerations(postgres, declarations, 'live', 'own');
  const [unseen, missing] = await Promise.all([
    findGenerationsHiddenFromAnalysts(writer, live),
    findMissingAnalystViews(writer),
  ]);
  const wrong = [
    ...unseen.map(
      ({ projection, generation }) => `generation ${generation} of ${projection.name} is not what they see`,
    ),
    ...(missing.length > 0 ? [`${missing.join(', ')} missing`] : []),
  ];
  const findings: readonly Finding[] =
    wrong.length === 0
      ? [ok(check, 'they show what is live')]
      : [
          warning(
            check,
            wrong.join('; '),
            'It is tried again each half minute, and the log of the projectors says what ClickHouse refuses: mostly the right to make the database of analysts, or views with the rights of their maker. Reports do without.',
          ),
        ];
  return findings;
};
