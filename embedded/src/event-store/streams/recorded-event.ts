import { closeFrame, endOfAppend, frameHeaderBytes, json, link, tombstone } from '../log/index.ts';
import { varintBytes, writeVarint } from '../protobuf/varint.ts';
import { binaryType, jsonType, typeKey } from './metadata-entries.ts';
import { type ProposedEvent } from './proposed-event.ts';

/** An event with its place in a stream, before it has a position. */
export interface EventRecord {
  readonly streamNo: number;
  readonly streamName: Buffer;
  /** Ignored for a tombstone, whose revision is 2^63 - 1. */
  readonly revision: number;
  readonly event: ProposedEvent;
  readonly tombstone: boolean;
}

const uuidBytes = 36;
const idField = Buffer.from([0x0a, uuidBytes + 2, 0x12, uuidBytes]);
const tombstoneRevision = Buffer.from([0x18, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]);
const linkType = Buffer.from('$>');

const fieldBytes = (length: number): number => 1 + varintBytes(length) + length;

/** Lengths of the nested messages of one event, known before any of it is written. */
export interface Sizes {
  readonly typePair: number;
  readonly recorded: number;
  readonly readEvent: number;
  readonly message: number;
}

export const sizesOf = (record: EventRecord, created: Buffer, position: number): Sizes => {
  const { event } = record;
  const typePair = typeKey.length + fieldBytes(event.type.length);
  const revision = record.tombstone ? tombstoneRevision.length : 1 + varintBytes(record.revision);
  const recorded =
    idField.length +
    uuidBytes +
    fieldBytes(typePair) +
    (event.json ? jsonType : binaryType).length +
    created.length +
    fieldBytes(fieldBytes(record.streamName.length)) +
    revision +
    2 * (1 + varintBytes(position)) +
    (event.metadata.length > 0 ? fieldBytes(event.metadata.length) : 0) +
    fieldBytes(event.data.length);
  const readEvent = fieldBytes(recorded) + 1 + varintBytes(position);
  return { typePair, recorded, readEvent, message: fieldBytes(readEvent) };
};

const copy = (source: Buffer, target: Buffer, at: number): number => at + source.copy(target, at);

const writeField = (target: Buffer, tag: number, value: Buffer, at: number): number => {
  target[at] = tag;
  return copy(value, target, writeVarint(target, value.length, at + 1));
};

const writeNumber = (target: Buffer, tag: number, value: number, at: number): number => {
  target[at] = tag;
  return writeVarint(target, value, at + 1);
};

const writeOpening = (target: Buffer, tag: number, length: number, at: number): number =>
  writeNumber(target, tag, length, at);

/** A record with everything its frame needs. */
export interface PlacedRecord {
  readonly record: EventRecord;
  readonly position: number;
  readonly last: boolean;
  readonly createdMs: number;
  readonly created: Buffer;
  readonly sizes: Sizes;
}

/** Writes the frame of one event at `frameAt`; `last` marks the end of its append. */
export const writeRecord = (target: Buffer, frameAt: number, placed: PlacedRecord): void => {
  const { record, position, last, createdMs, created, sizes } = placed;
  const { event } = record;
  const start = frameAt + frameHeaderBytes;
  let at = writeOpening(target, 0x0a, sizes.readEvent, start);
  at = writeOpening(target, 0x0a, sizes.recorded, at);
  at = copy(idField, target, at);
  const idAt = at - start;
  at += target.write(event.id, at, 'latin1');
  at = copy(typeKey, target, writeOpening(target, 0x32, sizes.typePair, at));
  const typeAt = at + 1 - start;
  at = writeField(target, 0x12, event.type, at);
  at = copy(event.json ? jsonType : binaryType, target, at);
  at = copy(created, target, at);
  at = writeOpening(target, 0x12, fieldBytes(record.streamName.length), at);
  at = writeField(target, 0x1a, record.streamName, at);
  at = record.tombstone ? copy(tombstoneRevision, target, at) : writeNumber(target, 0x18, record.revision, at);
  at = writeNumber(target, 0x20, position, at);
  at = writeNumber(target, 0x28, position, at);
  if (event.metadata.length > 0) at = writeField(target, 0x3a, event.metadata, at);
  at = writeField(target, 0x42, event.data, at);
  writeNumber(target, 0x18, position, at);
  const flags =
    (last ? endOfAppend : 0) |
    (record.tombstone ? tombstone : 0) |
    (event.type.equals(linkType) ? link : 0) |
    (event.json ? json : 0);
  closeFrame(target, frameAt, sizes.message, {
    streamNo: record.streamNo,
    flags,
    idAt,
    typeAt,
    createdMs,
    revision: record.revision,
  });
};
