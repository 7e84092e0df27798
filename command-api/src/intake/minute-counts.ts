import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '@popsvc/contracts/errors';
import { type IntakeMinute, type Postgres, writeIntakeMinutes } from '@popsvc/platform/postgres';
import type { Clock } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { createUnsavedPeriods } from './unsaved-periods.ts';

const minuteMs = 60_000;
const writeIntervalMs = 10_000;

/** Rows of bulk files count apart from pushed events, because a rejected row indicates a fault in the file, not in the service. */
export type BulkOutcome = 'bulk_accepted' | 'bulk_refused';

export interface IntakeCounter {
  readonly countAccepted: (events: number) => void;
  readonly countRefused: (code: ErrorCode | BulkOutcome, events: number) => void;
}

export interface MinuteCounts extends IntakeCounter {
  /** Includes the current minute, even if its counts are 0. If `save` throws, the next call includes the same minutes again. */
  write(save: (minutes: readonly IntakeMinute[]) => Promise<void>): Promise<void>;
}

interface EventAndRequestCount {
  readonly events: number;
  readonly requests: number;
}

/** How many minutes to keep while PostgreSQL is unavailable. */
const maxMinutes = 60;

/** Counts in memory, so that no request waits for PostgreSQL. */
export const createMinuteCounts = (
  clock: Clock,
  acceptedOutcome: 'accepted' | 'bulk_accepted' = 'accepted',
): MinuteCounts => {
  const minutes = createUnsavedPeriods(clock, {
    lengthMs: minuteMs,
    maxPeriods: maxMinutes,
    create: () => new Map<string, EventAndRequestCount>([[acceptedOutcome, { events: 0, requests: 0 }]]),
  });

  const count = (outcome: string, events: number) => {
    const counts = minutes.current();
    const known = counts.get(outcome);
    counts.set(outcome, { events: (known?.events ?? 0) + events, requests: (known?.requests ?? 0) + 1 });
  };

  return {
    countAccepted: (events) => count(acceptedOutcome, events),
    countRefused: count,
    write(save) {
      minutes.current();
      return minutes.save((periods) =>
        save(
          periods.flatMap(([minute, counts]) =>
            [...counts].map(([outcome, each]) => ({ minuteMs: minute, outcome, ...each })),
          ),
        ),
      );
    },
  };
};

/** `processId`: a random id, equal in all calls. The returned function stops the calls after a last one. */
export const startCountWriter = (write: (processId: string) => Promise<void>, log: Log): (() => Promise<void>) => {
  const processId = randomUUID();
  const writeOnce = () => write(processId).catch((err: unknown) => log.warn({ err }, 'failed to store intake counts'));
  let lastWrite = writeOnce();
  // Concurrent writes could let older counts overwrite newer ones.
  const timer = setInterval(() => void (lastWrite = lastWrite.then(writeOnce)), writeIntervalMs);
  return () => {
    clearInterval(timer);
    return lastWrite.then(writeOnce);
  };
};

export const startMinuteCountWriter = (counts: MinuteCounts, postgres: Postgres, log: Log): (() => Promise<void>) =>
  startCountWriter((processId) => counts.write((minutes) => writeIntakeMinutes(postgres, processId, minutes)), log);
