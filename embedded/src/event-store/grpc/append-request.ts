import { type ExpectedRevision, type ProposedEvent } from '../streams/index.ts';
import { ProtobufReader } from '../protobuf/wire-reader.ts';
import { invalid, metadataMissing } from './failure.ts';
import { readUuid } from './uuid.ts';

/** Stream and expected revision, which stand in the same fields in every request that writes. */
export interface WriteTarget {
  readonly stream: string;
  readonly expected: ExpectedRevision;
}

const nothing: Buffer = Buffer.alloc(0);

export const readStreamName = (identifier: ProtobufReader): string => {
  let name = '';
  for (let tag = identifier.tag(); tag !== 0; tag = identifier.tag()) {
    if (tag === 26) name = identifier.text();
    else identifier.skip(tag);
  }
  return name;
};

/** Reads one field of a write's options; false when it is none of the target's. */
export const readTargetField = (
  options: ProtobufReader,
  tag: number,
  target: { stream: string | undefined; expected: ExpectedRevision | undefined },
): boolean => {
  if (tag === 10) target.stream = readStreamName(options.message());
  else if (tag === 16) target.expected = options.bigint();
  else if (tag === 26 || tag === 34 || tag === 42) {
    options.skip(tag);
    target.expected = tag === 26 ? 'no_stream' : tag === 34 ? 'any' : 'stream_exists';
  } else return false;
  return true;
};

/** Names that no stream can have. */
export const checkedTarget = (stream: string | undefined, expected: ExpectedRevision | undefined): WriteTarget => {
  if (stream === undefined || stream === '' || stream === '$$') throw invalid('The stream name is missing or invalid');
  if (expected === undefined) throw invalid('The expected stream revision is missing');
  return { stream, expected };
};

export const readTarget = (options: ProtobufReader): WriteTarget => {
  const target: { stream: string | undefined; expected: ExpectedRevision | undefined } = {
    stream: undefined,
    expected: undefined,
  };
  for (let tag = options.tag(); tag !== 0; tag = options.tag()) {
    if (!readTargetField(options, tag, target)) options.skip(tag);
  }
  return checkedTarget(target.stream, target.expected);
};

interface EventFields {
  id?: string | undefined;
  type?: Buffer;
  contentType?: string;
}

const readMetadataEntry = (entry: ProtobufReader, fields: EventFields): void => {
  let key = '';
  let value = nothing;
  for (let tag = entry.tag(); tag !== 0; tag = entry.tag()) {
    if (tag === 10) key = entry.text();
    else if (tag === 18) value = entry.bytes();
    else entry.skip(tag);
  }
  if (key === 'type') fields.type = value;
  else if (key === 'content-type') fields.contentType = value.toString('latin1');
};

export const readProposedEvent = (message: ProtobufReader): ProposedEvent => {
  const fields: EventFields = {};
  let metadata = nothing;
  let data = nothing;
  for (let tag = message.tag(); tag !== 0; tag = message.tag()) {
    if (tag === 10) fields.id = readUuid(message.message());
    else if (tag === 18) readMetadataEntry(message.message(), fields);
    else if (tag === 26) metadata = message.bytes();
    else if (tag === 34) data = message.bytes();
    else message.skip(tag);
  }
  const { id, type, contentType } = fields;
  if (type === undefined || type.length === 0) throw metadataMissing('type');
  if (contentType === undefined) throw metadataMissing('content-type');
  if (id === undefined || id === '00000000-0000-0000-0000-000000000000')
    throw invalid('The event id is missing or not a UUID');
  return { id, type, json: contentType === 'application/json', metadata, data };
};

/** One message of the client's stream in Append: options or an event. Errors come as values, for they end the call. */
export const readAppendRequest = (bytes: Buffer): WriteTarget | ProposedEvent | undefined => {
  const request = new ProtobufReader(bytes);
  for (let tag = request.tag(); tag !== 0; tag = request.tag()) {
    if (tag === 10) return readTarget(request.message());
    if (tag === 18) return readProposedEvent(request.message());
    request.skip(tag);
  }
  return undefined;
};

/** DeleteReq and TombstoneReq, which have the same shape. */
export const readDeleteRequest = (bytes: Buffer): WriteTarget => {
  const request = new ProtobufReader(bytes);
  for (let tag = request.tag(); tag !== 0; tag = request.tag()) {
    if (tag === 10) return readTarget(request.message());
    request.skip(tag);
  }
  throw invalid('The options are missing');
};
