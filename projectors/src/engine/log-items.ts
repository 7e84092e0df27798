import {
  type EventMetadata,
  findEventDefinition,
  isFormerEventType,
  isListEvent,
  sequenceOf,
} from '@popsvc/contracts/events';
import { instantMs } from '@popsvc/contracts/time';
import type { LogEvent } from '@popsvc/platform/event-store';

/** An item of an event's list, for example one play of `PlaysRecorded`, or the whole data of an event without a list. */
export interface LogItem {
  /** Place in the order of all items of the log. */
  readonly sequence: bigint;
  readonly stream: string;
  readonly revision: bigint;
  readonly eventId: string;
  readonly type: string;
  /** As stored, with the fields that all items of its event share. */
  readonly data: unknown;
  readonly metadata: EventMetadata;
  readonly recordedAtMs: number;
  /** Why the event cannot be split into items; `data` is then the data of the whole event. */
  readonly problem?: unknown;
}

/** A `DateTime64` of any precision can store the times in this range. */
const [firstMs, lastMs] = [Date.UTC(1970, 0, 1), Date.UTC(2262, 0, 1)];

const isInstant = (text: unknown): boolean => {
  const ms = typeof text === 'string' ? instantMs(text) : undefined;
  return ms !== undefined && ms >= firstMs && ms < lastMs;
};

/** Written by hand, because each projection checks each event that it reads, and a zod schema is slower. */
const checkMetadata = (metadata: LogEvent['metadata'] | undefined): void => {
  if (!Number.isSafeInteger(metadata?.schemaVersion) || !(metadata!.schemaVersion >= 1))
    throw new Error('the metadata has no valid schema version');
  const { receivedAt, network, vendor } = metadata!;
  if (!isInstant(receivedAt)) throw new Error('the metadata has no valid receivedAt');
  if (network !== undefined && !(Number.isSafeInteger(network) && network >= 0))
    throw new Error('the metadata has an invalid network');
  if (vendor !== undefined && typeof vendor !== 'string') throw new Error('the metadata has an invalid vendor');
};

const findItems = ({ type, data, metadata }: LogEvent): readonly unknown[] => {
  const definition = findEventDefinition(type);
  if (isFormerEventType(type))
    throw new Error(`${type} was written by a release before 0.1.0-alpha.3, whose logs this release does not read`);
  if (!definition) return [data];
  checkMetadata(metadata);
  return isListEvent(definition) ? definition.splitItems(data) : [data];
};

const toItem = (event: LogEvent, data: unknown, index: number): LogItem => ({
  sequence: sequenceOf(event.position, index),
  stream: event.stream,
  revision: event.revision,
  eventId: event.id,
  type: event.type,
  data,
  metadata: event.metadata,
  recordedAtMs: event.recordedAtMs,
});

/** If the event cannot be split, returns one item, for which `readItem` throws the reason. */
export const splitEvent = (event: LogEvent): readonly [LogItem, ...LogItem[]] => {
  try {
    return findItems(event).map((data, index) => toItem(event, data, index)) as [LogItem, ...LogItem[]];
  } catch (problem) {
    return [{ ...toItem(event, event.data, 0), problem }];
  }
};

/** Undefined if this release does not have the event type. Throws if the event is invalid or has a type that only former releases wrote. */
export const readItem = ({ type, data, metadata, problem }: LogItem): unknown => {
  if (problem !== undefined) throw problem as Error;
  const definition = findEventDefinition(type);
  if (!definition) return undefined;
  return isListEvent(definition)
    ? definition.readItem(data, metadata.schemaVersion)
    : definition.read(data, metadata.schemaVersion);
};

/** Only for events without a list. */
export const readEvent = (event: LogEvent): unknown => readItem(splitEvent(event)[0]);
