import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { failed, type Finding, ok } from './finding.ts';

/** Whether the server takes the settings that every write relies on. */
export const lookAtSettings = async ({
  writer,
}: Pick<DiagnosticsDependencies, 'writer'>): Promise<readonly Finding[]> => {
  try {
    await writer.assertSettings();
    return [ok('settings of clickhouse', 'every write has those it relies on')];
  } catch (error) {
    return [
      failed(
        'settings of clickhouse',
        (error as Error).message,
        'Remove what pins or forbids them: a constraint in a profile of the writing user, or a version of the server that lacks them.',
      ),
    ];
  }
};
