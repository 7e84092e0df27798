import { registryEventType } from '@popsvc/contracts/events';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { ParkedEvent } from '@popsvc/platform/postgres';
import { z } from 'zod';

/** What becomes of an event that cannot be folded: it is set aside and the rest flows, or everything stops. */
export type PoisonPolicy = 'park' | 'stop';

/** More within a minute are no longer the fault of single events. */
const maxParkedPerMinute = 100;

const shown = 65_536;

/** Why an event cannot be folded, in one line. */
const describeError = (error: unknown): string => {
  if (error instanceof z.ZodError)
    return error.issues
      .slice(0, 5)
      .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
      .join('; ');
  return error instanceof Error ? error.message : String(error);
};

/** What is not JSON is told in base64. */
const legible = (value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;

export const toParkedEvent = ({ position, stream, type, data, metadata }: LogEvent, error: unknown): ParkedEvent => ({
  position,
  stream,
  type,
  error: describeError(error),
  raw: JSON.stringify({ data: legible(data), metadata: legible(metadata) }).slice(0, shown),
});

/** Which event it was. */
type Which = Pick<LogEvent, 'position' | 'stream' | 'type'>;

const naming = ({ position, stream, type }: Which): string => `${type} at position ${position} in ${stream}`;

/** Ends a build of a generation: it would differ from the log. */
export class UnfoldableEvent extends Error {
  override readonly name = 'PoisonMet';
  readonly event: Which;
  readonly reason: string;

  constructor(projection: string, event: Which, error: unknown) {
    super(
      `${naming(event)} cannot be projected into ${projection}: ${describeError(error)}. ` +
        'Mend the projection or run a build that knows such events; or have it passed over for good: ' +
        `popsvc events parked discard ${projection} --position ${event.position} --reason WHY.`,
      { cause: error },
    );
    const { position, stream, type } = event;
    this.event = { position, stream, type };
    this.reason = describeError(error);
  }
}

/** It cannot be set aside, for what it decides about would be folded otherwise; the build that wrote it goes on. */
export class UnknownDecision extends Error {
  override readonly name = 'NewerDecision';

  constructor(projection: string, event: LogEvent, error: unknown) {
    super(
      `${naming(event)} is a decision that this build cannot act on: ${describeError(error)}. The build that wrote it goes on from ` +
        `here; or have it passed over: popsvc events parked discard ${projection} --position ${event.position} --reason WHY.`,
      { cause: error },
    );
  }
}

/** So much is wrong at once that it is the projection that is wrong. */
export class ParkingLimitReached extends Error {
  override readonly name = 'TooManyParked';
  /** Of the event that was not set aside. */
  readonly position: bigint;

  constructor(projection: string, event: LogEvent, error: unknown) {
    super(
      `more than ${maxParkedPerMinute} events were set aside within a minute, and no more are: ${naming(event)} cannot be projected: ` +
        `${describeError(error)}. Mend the projection, or have it go on setting events aside: popsvc projections resume ${projection}.`,
      { cause: error },
    );
    this.position = event.position;
  }
}

const minuteMs = 60_000;

/** Counts what is parked; `lately` of it in the minute before. */
export const createParkingLimit = (lately: number) => {
  const startedAt = performance.now();
  let times: number[] = [];
  return {
    /** Whether one more within a minute is too many. */
    isFull(): boolean {
      const now = performance.now();
      times = times.filter((at) => now - at < minuteMs);
      return times.length + (now - startedAt < minuteMs ? lately : 0) >= maxParkedPerMinute;
    },
    count: () => void times.push(performance.now()),
  };
};

/** A zone that ClickHouse does not know would stop every batch and every report of its network. */
export const requireKnownTimeZone = ({ type, data }: LogEvent, zones: ReadonlySet<string>): void => {
  if (!registryEventType(type)) return;
  const { timezone } = (data ?? {}) as { readonly timezone?: unknown };
  if (typeof timezone === 'string' && !zones.has(timezone))
    throw new Error(`ClickHouse knows no time zone ${timezone}`);
};
