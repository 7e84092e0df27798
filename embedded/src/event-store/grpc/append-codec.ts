import { ProtobufReader, ProtobufWriter } from '../protobuf/wire-format.ts';
import { type ExpectedRevision, type ProposedEvent } from '../streams/event-codec.ts';
import { invalidArgument, missingMetadata } from './errors.ts';

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const formatUuid = (most: bigint, least: bigint): string => {
  const hex =
    BigInt.asUintN(64, most).toString(16).padStart(16, '0') + BigInt.asUintN(64, least).toString(16).padStart(16, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

const decodeUuid = (uuid: ProtobufReader): string | undefined => {
  let text = '';
  for (let tag = uuid.tag(); tag !== 0; tag = uuid.tag()) {
    if (tag === 18) text = uuid.text().toLowerCase();
    else if (tag === 10) text = decodeStructuredUuid(uuid.message());
    else uuid.skip(tag);
  }
  return uuidPattern.test(text) ? text : undefined;
};

const decodeStructuredUuid = (structured: ProtobufReader): string => {
  let most = 0n;
  let least = 0n;
  for (let tag = structured.tag(); tag !== 0; tag = structured.tag()) {
    if (tag === 8) most = structured.bigint();
    else if (tag === 16) least = structured.bigint();
    else structured.skip(tag);
  }
  return formatUuid(most, least);
};

export const encodeStructuredUuid = (text: string): Buffer => {
  const hex = text.replaceAll('-', '');
  return new ProtobufWriter()
    .message(1, (structured) => {
      structured.uint(1, BigInt(`0x${hex.slice(0, 16)}`)).uint(2, BigInt(`0x${hex.slice(16)}`));
    })
    .finish();
};

export interface WriteTarget {
  readonly stream: string;
  readonly expected: ExpectedRevision;
}

const emptyBuffer: Buffer = Buffer.alloc(0);

export const decodeStreamName = (identifier: ProtobufReader): string => {
  let name = '';
  for (let tag = identifier.tag(); tag !== 0; tag = identifier.tag()) {
    if (tag === 26) name = identifier.text();
    else identifier.skip(tag);
  }
  return name;
};

export const decodeTargetField = (
  options: ProtobufReader,
  tag: number,
  target: { stream: string | undefined; expected: ExpectedRevision | undefined },
): boolean => {
  if (tag === 10) target.stream = decodeStreamName(options.message());
  else if (tag === 16) target.expected = options.bigint();
  else if (tag === 26 || tag === 34 || tag === 42) {
    options.skip(tag);
    target.expected = tag === 26 ? 'no_stream' : tag === 34 ? 'any' : 'stream_exists';
  } else return false;
  return true;
};

/** The node keeps stream names and event types in memory, so their size must be bounded. */
const maxNameBytes = 1024;

/** The prefix `$$` of a metastream does not count. */
export const checkStreamName = (name: string): void => {
  const bytes = name.length <= maxNameBytes / 3 ? 0 : Buffer.byteLength(name) - (name.startsWith('$$') ? 2 : 0);
  if (bytes > maxNameBytes)
    throw invalidArgument(`The stream name has ${bytes} bytes; at most ${maxNameBytes} are allowed`);
};

export const checkTarget = (stream: string | undefined, expected: ExpectedRevision | undefined): WriteTarget => {
  if (stream === undefined || stream === '' || stream === '$$')
    throw invalidArgument('The stream name is missing or invalid');
  checkStreamName(stream);
  if (expected === undefined) throw invalidArgument('The expected stream revision is missing');
  return { stream, expected };
};

const decodeTarget = (options: ProtobufReader): WriteTarget => {
  const target: { stream: string | undefined; expected: ExpectedRevision | undefined } = {
    stream: undefined,
    expected: undefined,
  };
  for (let tag = options.tag(); tag !== 0; tag = options.tag()) {
    if (!decodeTargetField(options, tag, target)) options.skip(tag);
  }
  return checkTarget(target.stream, target.expected);
};

interface EventFields {
  id?: string | undefined;
  type?: Buffer;
  contentType?: string;
}

const decodeMetadataEntry = (entry: ProtobufReader, fields: EventFields): void => {
  let key = '';
  let value = emptyBuffer;
  for (let tag = entry.tag(); tag !== 0; tag = entry.tag()) {
    if (tag === 10) key = entry.text();
    else if (tag === 18) value = entry.bytes();
    else entry.skip(tag);
  }
  if (key === 'type') fields.type = value;
  else if (key === 'content-type') fields.contentType = value.toString('latin1');
};

export const decodeProposedEvent = (message: ProtobufReader): ProposedEvent => {
  const fields: EventFields = {};
  let metadata = emptyBuffer;
  let data = emptyBuffer;
  for (let tag = message.tag(); tag !== 0; tag = message.tag()) {
    if (tag === 10) fields.id = decodeUuid(message.message());
    else if (tag === 18) decodeMetadataEntry(message.message(), fields);
    else if (tag === 26) metadata = message.bytes();
    else if (tag === 34) data = message.bytes();
    else message.skip(tag);
  }
  const { id, type, contentType } = fields;
  if (type === undefined || type.length === 0) throw missingMetadata('type');
  if (type.length > maxNameBytes)
    throw invalidArgument(`The event type has ${type.length} bytes; at most ${maxNameBytes} are allowed`);
  if (contentType === undefined) throw missingMetadata('content-type');
  if (id === undefined || id === '00000000-0000-0000-0000-000000000000')
    throw invalidArgument('The event id is missing or not a UUID');
  return { id, type, json: contentType === 'application/json', metadata, data };
};

export const decodeAppendRequest = (bytes: Buffer): WriteTarget | ProposedEvent | undefined => {
  const request = new ProtobufReader(bytes);
  for (let tag = request.tag(); tag !== 0; tag = request.tag()) {
    if (tag === 10) return decodeTarget(request.message());
    if (tag === 18) return decodeProposedEvent(request.message());
    request.skip(tag);
  }
  return undefined;
};

export const decodeDeleteRequest = (bytes: Buffer): WriteTarget => {
  const request = new ProtobufReader(bytes);
  for (let tag = request.tag(); tag !== 0; tag = request.tag()) {
    if (tag === 10) return decodeTarget(request.message());
    request.skip(tag);
  }
  throw invalidArgument('The options are missing');
};
