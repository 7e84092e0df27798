/*
 * Errors for events that cannot be folded, and the conversion of such events to parked events (stored for a retry). event-applier.ts
 * decides whether an event is parked.
 */
import { describePlace, formatItemId, placeOf, registryEventType } from '@popsvc/contracts/events';
import { isKnownZone, timeZoneVersion } from '@popsvc/contracts/time-zones';
import type { ParkedEvent } from '@popsvc/platform/postgres';
import { z } from 'zod';
import type { LogItem } from '../log-items.ts';
import { maxParkedPerMinute } from './parking-limit.ts';

/** Maximum length of a parked event's stored JSON, in characters. */
const maxRawLength = 65_536;

/** Returns the message of an error. For a schema error, joins the messages of its first five issues. */
const describeError = (error: unknown): string => {
  if (error instanceof z.ZodError)
    return error.issues
      .slice(0, 5)
      .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
      .join('; ');
  return error instanceof Error ? error.message : String(error);
};

/** Encodes bytes as base64, so that JSON can contain them. Returns other values unchanged. */
const toJsonValue = (value: unknown): unknown =>
  value instanceof Uint8Array ? { base64: Buffer.from(value).toString('base64') } : value;

export const toParkedEvent = ({ sequence, stream, type, data, metadata }: LogItem, error: unknown): ParkedEvent => ({
  sequence,
  stream,
  type,
  error: describeError(error),
  raw: JSON.stringify({ data: toJsonValue(data), metadata: toJsonValue(metadata) }).slice(0, maxRawLength),
});

type ItemName = Pick<LogItem, 'sequence' | 'stream' | 'type'>;

const describeItem = ({ sequence, stream, type }: ItemName): string => `${type} ${describePlace(sequence)}${stream}`;

/**
 * Thrown if an event cannot be folded and must not be parked (stored for a retry). No event may be parked while a generation is built,
 * because the generation must be complete. In other generations, events of state streams and operators' decisions may not be parked. Ends
 * the run.
 */
export class UnfoldableEvent extends Error {
  override readonly name = 'UnfoldableEvent';
  readonly item: ItemName;
  readonly reason: string;

  constructor(projection: string, item: ItemName, error: unknown) {
    super(
      `${describeItem(item)} cannot be projected into ${projection}: ${describeError(error)}. ` +
        'Fix the projection or run a release that knows this event, or skip it for good: ' +
        `popsvc events parked discard ${projection} --position ${formatItemId(item.sequence)} --reason WHY.`,
      { cause: error },
    );
    const { sequence, stream, type } = item;
    this.item = { sequence, stream, type };
    this.reason = describeError(error);
  }
}

/**
 * Thrown if an item may not be parked, because too many were parked within a minute, now or before parking was stopped. The projection is
 * then probably faulty. Ends the run.
 */
export class ParkingLimitReached extends Error {
  override readonly name = 'ParkingLimitReached';
  /** Log position of the event that was not parked. */
  readonly position: bigint;

  constructor(projection: string, item: LogItem, error: unknown) {
    super(
      `more than ${maxParkedPerMinute} events were parked within a minute, so no more are: ${describeItem(item)} cannot be projected: ` +
        `${describeError(error)}. Fix the projection, or let it park more events: popsvc projections resume ${projection}.`,
      { cause: error },
    );
    this.position = placeOf(item.sequence).position;
  }
}

/** Throws if a registry event contains a time zone that the time zone data lacks: all batches and reports of the network would fail. */
export const requireKnownTimeZone = ({ type, data }: LogItem): void => {
  if (!registryEventType(type)) return;
  const { timezone } = (data ?? {}) as { readonly timezone?: unknown };
  if (typeof timezone === 'string' && !isKnownZone(timezone))
    throw new Error(`the time zone data ${timeZoneVersion} lacks the time zone ${timezone}`);
};
