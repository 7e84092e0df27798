import { registryEventType } from '@popsvc/contracts/events';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { ParkedEvent } from '@popsvc/platform/postgres';
import { z } from 'zod';

/** More failures within a minute indicate a faulty projection rather than faulty events. */
const maxParkedPerMinute = 100;

const shown = 65_536;

/** Returns the reason in one line. */
const describeError = (error: unknown): string => {
  if (error instanceof z.ZodError)
    return error.issues
      .slice(0, 5)
      .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
      .join('; ');
  return error instanceof Error ? error.message : String(error);
};

/** Encodes bytes that are not JSON in base64. */
const legible = (value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;

export const toParkedEvent = ({ position, stream, type, data, metadata }: LogEvent, error: unknown): ParkedEvent => ({
  position,
  stream,
  type,
  error: describeError(error),
  raw: JSON.stringify({ data: legible(data), metadata: legible(metadata) }).slice(0, shown),
});

type Which = Pick<LogEvent, 'position' | 'stream' | 'type'>;

const naming = ({ position, stream, type }: Which): string => `${type} at position ${position} in ${stream}`;

/** Ends the build of a generation, which must not differ from the log. */
export class UnfoldableEvent extends Error {
  override readonly name = 'UnfoldableEvent';
  readonly event: Which;
  readonly reason: string;

  constructor(projection: string, event: Which, error: unknown) {
    super(
      `${naming(event)} cannot be projected into ${projection}: ${describeError(error)}. ` +
        'Fix the projection or run a build that knows this event, or skip it for good: ' +
        `popsvc events parked discard ${projection} --position ${event.position} --reason WHY.`,
      { cause: error },
    );
    const { position, stream, type } = event;
    this.event = { position, stream, type };
    this.reason = describeError(error);
  }
}

/**
 * A decision of a newer build cannot be parked, because the events it names would be folded differently. A newer build
 * continues from here.
 */
export class UnknownDecision extends Error {
  override readonly name = 'UnknownDecision';

  constructor(projection: string, event: LogEvent, error: unknown) {
    super(
      `${naming(event)} is a decision that this build cannot act on: ${describeError(error)}. Run the build that wrote it, ` +
        `or skip the decision: popsvc events parked discard ${projection} --position ${event.position} --reason WHY.`,
      { cause: error },
    );
  }
}

/** So many events fail that the projection is probably wrong. */
export class ParkingLimitReached extends Error {
  override readonly name = 'ParkingLimitReached';
  /** Position of the event that was not parked. */
  readonly position: bigint;

  constructor(projection: string, event: LogEvent, error: unknown) {
    super(
      `more than ${maxParkedPerMinute} events were parked within a minute, so no more are: ${naming(event)} cannot be projected: ` +
        `${describeError(error)}. Fix the projection, or let it park more events: popsvc projections resume ${projection}.`,
      { cause: error },
    );
    this.position = event.position;
  }
}

const minuteMs = 60_000;

/** Limits how many events are parked per minute. `lately`: events parked in the minute before the start. */
export const createParkingLimit = (lately: number) => {
  const startedAt = performance.now();
  let times: number[] = [];
  return {
    /** Returns true when the limit for this minute is reached. */
    isFull(): boolean {
      const now = performance.now();
      times = times.filter((at) => now - at < minuteMs);
      return times.length + (now - startedAt < minuteMs ? lately : 0) >= maxParkedPerMinute;
    },
    count: () => void times.push(performance.now()),
  };
};

/**
 * Throws when a registry event names a time zone that ClickHouse does not know: it would fail every batch and every
 * report of the network.
 */
export const requireKnownTimeZone = ({ type, data }: LogEvent, zones: ReadonlySet<string>): void => {
  if (!registryEventType(type)) return;
  const { timezone } = (data ?? {}) as { readonly timezone?: unknown };
  if (typeof timezone === 'string' && !zones.has(timezone))
    throw new Error(`ClickHouse does not know the time zone ${timezone}`);
};
