import { ApiError, type ErrorCode } from '@popsvc/contracts/errors';
import type { ApiKeyPrincipal } from '@popsvc/http-kit/auth';
import { type Postgres, type RefusedHour, writeRefusedHours } from '@popsvc/platform/postgres';
import type { Clock } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { startCountWriter } from './minute-counts.ts';
import { createUnsavedPeriods } from './unsaved-periods.ts';

export interface Refusal {
  readonly sender: Pick<ApiKeyPrincipal, 'network' | 'vendor'>;
  readonly code: ErrorCode;
  readonly events: number;
  readonly error: unknown;
}

export interface RefusalCounts {
  readonly countRefusal: (refusal: Refusal) => void;
  /** If `save` throws, the next call includes the same hours again. */
  write(save: (hours: readonly RefusedHour[]) => Promise<void>): Promise<void>;
}

const hourMs = 3_600_000;
/** How many hours to keep while PostgreSQL is unavailable. */
const maxHours = 24;
const maxReasonLength = 300;

/** PostgreSQL cannot store NUL and half surrogate pairs. */
const describeReason = (error: unknown): string => {
  if (!(error instanceof ApiError)) return '';
  const [first] = error.details;
  const reason = first ? `${first.path}: ${first.message}` : error.message;
  return Buffer.from(reason.slice(0, maxReasonLength).replaceAll('\0', ' ')).toString();
};

export const createRefusalCounts = (clock: Clock): RefusalCounts => {
  const hours = createUnsavedPeriods(clock, {
    lengthMs: hourMs,
    maxPeriods: maxHours,
    create: () => new Map<string, Omit<RefusedHour, 'hourMs'>>(),
  });
  return {
    countRefusal({ sender: { network, vendor }, code, events, error }) {
      const counts = hours.current();
      const key = `${network} ${vendor} ${code}`;
      const known = counts.get(key);
      counts.set(key, {
        network,
        vendor,
        code,
        requests: (known?.requests ?? 0) + 1,
        events: (known?.events ?? 0) + events,
        latestReason: describeReason(error),
        latestMs: clock.now(),
      });
    },
    write: (save) =>
      hours.save((periods) =>
        save(periods.flatMap(([start, counts]) => [...counts.values()].map((each) => ({ hourMs: start, ...each })))),
      ),
  };
};

export const startRefusalCountWriter = (counts: RefusalCounts, postgres: Postgres, log: Log): (() => Promise<void>) =>
  startCountWriter((processId) => counts.write((hours) => writeRefusedHours(postgres, processId, hours)), log);
