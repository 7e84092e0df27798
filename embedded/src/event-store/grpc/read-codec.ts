import { readFlags, type Frame, readIdOffset, linkFlag, messageStart } from '../log/frames.ts';
import { ProtobufReader, ProtobufWriter, varintBytes, writeVarint } from '../protobuf/wire-format.ts';
import { readRecordedEvent } from '../streams/event-codec.ts';
import { decodeStreamName, encodeStructuredUuid } from './append-codec.ts';

export interface FilterRequest {
  readonly on: 'stream' | 'type' | undefined;
  readonly regex: string;
  readonly prefixes: readonly string[];
  /** Events per page; 'count': the server chooses the number; undefined: the request has no window and is invalid. */
  readonly window: number | 'count' | undefined;
  readonly checkpointIntervalMultiplier: number;
}

const decodeFilter = (options: ProtobufReader): FilterRequest => {
  const filter = { on: undefined as FilterRequest['on'], regex: '', prefixes: [] as string[] };
  let window: FilterRequest['window'];
  let checkpointIntervalMultiplier = 0;
  for (let tag = options.tag(); tag !== 0; tag = options.tag()) {
    if (tag === 10 || tag === 18) {
      filter.on = tag === 10 ? 'stream' : 'type';
      const expression = options.message();
      for (let inner = expression.tag(); inner !== 0; inner = expression.tag()) {
        if (inner === 10) filter.regex = expression.text();
        else if (inner === 18) filter.prefixes.push(expression.text());
        else expression.skip(inner);
      }
    } else if (tag === 24) window = options.number();
    else if (tag === 40) checkpointIntervalMultiplier = options.number();
    else {
      if (tag === 34) window = 'count';
      options.skip(tag);
    }
  }
  return { ...filter, window, checkpointIntervalMultiplier };
};

/** The largest unsigned 64-bit value refers to the end of a stream or of $all. */
export const endPosition = 2n ** 64n - 1n;

export interface AllPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

export interface ReadRequest {
  stream: { name: string; from: bigint | 'start' | 'end' | undefined } | undefined;
  all: AllPosition | 'start' | 'end' | 'missing' | undefined;
  backward: boolean;
  resolveLinks: boolean;
  count: bigint | 'subscription' | undefined;
  filter: FilterRequest | 'none' | undefined;
  ids: 'structured' | 'text' | undefined;
  compatibility: number;
}

const decodeStreamOptions = (options: ProtobufReader): ReadRequest['stream'] => {
  const stream: NonNullable<ReadRequest['stream']> = { name: '', from: undefined };
  for (let tag = options.tag(); tag !== 0; tag = options.tag()) {
    if (tag === 10) stream.name = decodeStreamName(options.message());
    else if (tag === 16) stream.from = options.bigint();
    else {
      if (tag === 26) stream.from = 'start';
      else if (tag === 34) stream.from = 'end';
      options.skip(tag);
    }
  }
  return stream;
};

const decodePosition = (position: ProtobufReader): AllPosition => {
  let commit = 0n;
  let prepare = 0n;
  for (let tag = position.tag(); tag !== 0; tag = position.tag()) {
    if (tag === 8) commit = position.bigint();
    else if (tag === 16) prepare = position.bigint();
    else position.skip(tag);
  }
  return { commit, prepare };
};

const decodeAllOptions = (options: ProtobufReader): ReadRequest['all'] => {
  let from: ReadRequest['all'] = 'missing';
  for (let tag = options.tag(); tag !== 0; tag = options.tag()) {
    if (tag === 10) from = decodePosition(options.message());
    else {
      if (tag === 18) from = 'start';
      else if (tag === 26) from = 'end';
      options.skip(tag);
    }
  }
  return from;
};

const decodeIdForm = (option: ProtobufReader): 'structured' | 'text' => {
  let form: 'structured' | 'text' = 'structured';
  for (let tag = option.tag(); tag !== 0; tag = option.tag()) {
    form = tag === 18 ? 'text' : 'structured';
    option.skip(tag);
  }
  return form;
};

const decodeReadField = (options: ProtobufReader, tag: number, read: ReadRequest): void => {
  if (tag === 10) read.stream = decodeStreamOptions(options.message());
  else if (tag === 18) read.all = decodeAllOptions(options.message());
  else if (tag === 24) read.backward = options.number() === 1;
  else if (tag === 32) read.resolveLinks = options.number() !== 0;
  else if (tag === 40) read.count = options.bigint();
  else if (tag === 58) read.filter = decodeFilter(options.message());
  else if (tag === 74) read.ids = decodeIdForm(options.message());
  else if (tag === 82) {
    const control = options.message();
    for (let inner = control.tag(); inner !== 0; inner = control.tag()) {
      if (inner === 8) read.compatibility = control.number();
      else control.skip(inner);
    }
  } else {
    if (tag === 50) read.count = 'subscription';
    else if (tag === 66) read.filter = 'none';
    options.skip(tag);
  }
};

export const decodeReadRequest = (bytes: Buffer): ReadRequest => {
  const read: ReadRequest = {
    stream: undefined,
    all: undefined,
    backward: false,
    resolveLinks: false,
    count: undefined,
    filter: undefined,
    ids: undefined,
    compatibility: 0,
  };
  const request = new ProtobufReader(bytes);
  for (let tag = request.tag(); tag !== 0; tag = request.tag()) {
    if (tag !== 10) {
      request.skip(tag);
      continue;
    }
    const options = request.message();
    for (let inner = options.tag(); inner !== 0; inner = options.tag()) decodeReadField(options, inner, read);
  }
  return read;
};

const writeCurrentTime = (target: ProtobufWriter, field: number): ProtobufWriter => {
  const now = Date.now();
  return target.message(field, (time) => time.uint(1, Math.floor(now / 1000)).uint(2, (now % 1000) * 1e6));
};

export const encodeConfirmation = (subscriptionId: string): Buffer =>
  new ProtobufWriter().message(2, (inner) => inner.text(1, subscriptionId)).finish();

export const encodeCheckpoint = (position: number): Buffer =>
  new ProtobufWriter().message(3, (inner) => writeCurrentTime(inner.uint(1, position).uint(2, position), 3)).finish();

export const encodeStreamNotFound = (stream: string): Buffer =>
  new ProtobufWriter().message(4, (inner) => inner.message(1, (identifier) => identifier.text(3, stream))).finish();

export const encodeFirstStreamPosition = (revision: number): Buffer => new ProtobufWriter().uint(5, revision).finish();

export const encodeLastStreamPosition = (revision: number): Buffer => new ProtobufWriter().uint(6, revision).finish();

export const encodeCaughtUp = (
  seen: { readonly revision: number } | { readonly position: number } | undefined,
): Buffer =>
  new ProtobufWriter()
    .message(8, (inner) => {
      writeCurrentTime(inner, 1);
      if (!seen) return;
      if ('revision' in seen) inner.uint(2, seen.revision);
      else inner.message(3, (at) => at.uint(1, seen.position).uint(2, seen.position));
    })
    .finish();

const encodeWithStructuredId = (frame: Frame): Buffer => {
  const recorded = readRecordedEvent(frame);
  const reader = new ProtobufReader(recorded);
  reader.tag();
  reader.bytes();
  const idAt = messageStart(frame.at) + readIdOffset(frame.bytes, frame.at);
  const id = frame.bytes.toString('latin1', idAt, idAt + 36);
  const idFieldBytes = 40;
  return Buffer.concat([
    new ProtobufWriter().bytes(1, encodeStructuredUuid(id)).finish(),
    recorded.subarray(idFieldBytes),
  ]);
};

export const isLink = (frame: Frame): boolean => (readFlags(frame.bytes, frame.at) & linkFlag) !== 0;

const encodeField = (number: number, bytes: Buffer): Buffer => {
  const head = Buffer.allocUnsafe(1 + varintBytes(bytes.length));
  head[0] = number * 8 + 2;
  writeVarint(head, bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

/** Only for a resolved link or structured ids: the node sends every other stored message unchanged. */
export const encodeReadEvent = (
  parts: { readonly event: Frame | undefined; readonly link: Frame | undefined },
  position: number,
  structuredIds: boolean,
): Buffer => {
  const recorded = structuredIds ? encodeWithStructuredId : readRecordedEvent;
  const inner = [
    ...(parts.event ? [encodeField(1, recorded(parts.event))] : []),
    ...(parts.link ? [encodeField(2, recorded(parts.link))] : []),
    new ProtobufWriter().uint(3, position).finish(),
  ];
  return encodeField(1, Buffer.concat(inner));
};
