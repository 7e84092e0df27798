import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EventLogScrub, eventLogScrubFile, type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import type { DiagnosticsDependencies } from './dependencies.ts';

/** Reads the result of the background checks of the embedded event store; undefined if there is none. */
export const readEventLogScrub = async (folder: string): Promise<EventLogScrub | undefined> => {
  try {
    return EventLogScrub.parse(JSON.parse(await readFile(join(folder, 'event-store', eventLogScrubFile), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** A segment is due every day; three days leave time for a service that is stopped over a weekend. */
const maxCheckAgeMs = 3 * 86_400_000;

const judgeScrub = ({ segments, unchecked }: EventLogScrub): Finding => {
  const damages = segments.flatMap((segment) => segment.damages);
  const [first] = damages;
  if (first) {
    const place = first.position === undefined ? first.file : `${first.file}, position ${first.position}`;
    const more = damages.length === 1 ? '' : `; and ${damages.length - 1} more`;
    return reportProblem('event-log', 'damaged', { found: `${place}: ${first.what}${more}` });
  }
  const oldestMs = Math.min(...segments.map(({ checkedMs }) => checkedMs));
  const since = segments.length === 0 ? 'none' : `the oldest check at ${new Date(oldestMs).toISOString()}`;
  const found = `${segments.length} of ${segments.length + unchecked} segments checked, ${since}`;
  return Date.now() - oldestMs > maxCheckAgeMs
    ? reportProblem('event-log', 'not-checked', { found })
    : reportOk('event-log', { found });
};

/** Reports what the embedded event store found when it read its log again in the background. */
export const checkEventLog = async ({
  folders,
}: Pick<DiagnosticsDependencies, 'folders'>): Promise<readonly Finding[]> => {
  const scrubs = (await Promise.all(folders.map(readEventLogScrub))).filter((scrub) => scrub !== undefined);
  if (scrubs.length > 0) return scrubs.map(judgeScrub);
  return [
    reportOk('event-log', { found: 'no result: the event store is not embedded, or has not checked its log yet' }),
  ];
};
