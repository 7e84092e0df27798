import { describePlace, formatItemId, placeOf, registryEventType } from '@popsvc/contracts/events';
import { isKnownZone, timeZoneVersion } from '@popsvc/contracts/time-zones';
import type { ParkedEvent } from '@popsvc/platform/postgres';
import { z } from 'zod';
import type { LogItem } from '../log-items.ts';
import { maxParkedPerMinute } from './parking-limit.ts';

const maxRawLength = 65_536;

const describeError = (error: unknown): string => {
  if (error instanceof z.ZodError)
    return error.issues
      .slice(0, 5)
      .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
      .join('; ');
  return error instanceof Error ? error.message : String(error);
};

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

/** Ends the run: an event can neither be folded nor parked. */
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

/** Ends the run: so many events failed within a minute that the projection is probably faulty. */
export class ParkingLimitReached extends Error {
  override readonly name = 'ParkingLimitReached';
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

/** Throws if a registry event has an unknown time zone, with which all batches and reports of the network would fail. */
export const requireKnownTimeZone = ({ type, data }: LogItem): void => {
  if (!registryEventType(type)) return;
  const { timezone } = (data ?? {}) as { readonly timezone?: unknown };
  if (typeof timezone === 'string' && !isKnownZone(timezone))
    throw new Error(`the time zone data ${timeZoneVersion} lacks the time zone ${timezone}`);
};
