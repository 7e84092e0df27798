import { randomUUID } from 'node:crypto';
import { type Postgres, writeIntakeMinutes } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import type { IntakeMinutes } from './intake-minutes.ts';

const everyMs = 10_000;

/**
 * Writes down every ten seconds what this process took in and refused. While PostgreSQL is away it goes on counting. Returns what
 * ends it, with a last writing.
 */
export const keepFigures = (minutes: IntakeMinutes, postgres: Postgres, log: Log): (() => Promise<void>) => {
  const process = randomUUID();
  const tell = () =>
    minutes
      .write((figures) => writeIntakeMinutes(postgres, process, figures))
      .catch((err: unknown) => log.warn({ err }, 'what came in was not written down'));
  let telling = tell();
  // One after the other: an older telling must not come last.
  const timer = setInterval(() => void (telling = telling.then(tell)), everyMs);
  return () => {
    clearInterval(timer);
    return telling.then(tell);
  };
};
