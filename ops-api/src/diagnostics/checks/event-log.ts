import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  createCheck,
  EventLogScrub,
  eventLogScrubFile,
  failed,
  type Finding,
  warning,
} from '@popsvc/contracts/diagnostics';
import type { ServiceEvaluation } from '../dependencies.ts';

/** Reads the result of the background checks of the embedded event store; undefined if there is none. */
export const readEventLogScrub = async (folder: string): Promise<EventLogScrub | undefined> => {
  try {
    return EventLogScrub.parse(JSON.parse(await readFile(join(folder, 'event-store', eventLogScrubFile), 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Each segment is checked once a day. Three days allow for a service that is stopped over a weekend. */
const maxCheckAgeSeconds = 3 * 86_400;

const check = createCheck(
  'event-log',
  'The records of the embedded event store are whole, as far as it has read them again in the background.',
  {
    damaged: failed(
      '`popsvc log verify` lists all damage. Ask the owner of the data to choose: restore a backup, or stop the service and run `popsvc log repair`, which keeps what it takes out. Projections stop before a damaged record; what was accepted before it is in reports.',
    ),
    'not-checked': warning(
      'Each file of the log is checked once a day while the service runs. If the log is too large for that, run `popsvc log verify` now and then.',
      { threshold: maxCheckAgeSeconds, begins: `no check for ${maxCheckAgeSeconds / 86_400} days` },
    ),
  },
);

const judgeScrub = ({ segments, unchecked }: EventLogScrub): Finding => {
  const damages = segments.flatMap((segment) => segment.damages);
  const [first] = damages;
  if (first) {
    const place = first.position === undefined ? first.file : `${first.file}, position ${first.position}`;
    const more = damages.length === 1 ? '' : `; and ${damages.length - 1} more`;
    return check.problem('damaged', { found: `${place}: ${first.what}${more}` });
  }
  const oldestMs = Math.min(...segments.map(({ checkedMs }) => checkedMs));
  const since = segments.length === 0 ? 'none' : `the oldest check at ${new Date(oldestMs).toISOString()}`;
  const found = `${segments.length} of ${segments.length + unchecked} segments checked, ${since}`;
  return Date.now() - oldestMs > maxCheckAgeSeconds * 1_000
    ? check.problem('not-checked', { found })
    : check.ok({ found });
};

export const eventLog: ServiceEvaluation = {
  check,
  async evaluate({ folders }) {
    const scrubs = (await Promise.all(folders.map(readEventLogScrub))).filter((scrub) => scrub !== undefined);
    if (scrubs.length > 0) return scrubs.map(judgeScrub);
    return [check.ok({ found: 'no result: the event store is not embedded, or has not checked its log yet' })];
  },
};
