import { ProtobufReader } from '../protobuf/wire-reader.ts';
import { readStreamName } from './append-request.ts';
import { type FilterRequest, readFilter } from './filter-request.ts';

export interface AllPosition {
  readonly commit: bigint;
  readonly prepare: bigint;
}

/** Options of a read or a subscription as they came; what is missing is judged where it is used. */
export interface ReadRequest {
  stream: { name: string; from: bigint | 'start' | 'end' | undefined } | undefined;
  all: AllPosition | 'start' | 'end' | undefined;
  backward: boolean;
  resolveLinks: boolean;
  count: bigint | 'subscription' | undefined;
  filter: FilterRequest | 'none' | undefined;
  ids: 'structured' | 'text' | undefined;
  compatibility: number;
}

const readStreamOptions = (options: ProtobufReader): ReadRequest['stream'] => {
  const stream: NonNullable<ReadRequest['stream']> = { name: '', from: undefined };
  for (let tag = options.tag(); tag !== 0; tag = options.tag()) {
    if (tag === 10) stream.name = readStreamName(options.message());
    else if (tag === 16) stream.from = options.bigint();
    else {
      if (tag === 26) stream.from = 'start';
      else if (tag === 34) stream.from = 'end';
      options.skip(tag);
    }
  }
  return stream;
};

const readPosition = (position: ProtobufReader): AllPosition => {
  let commit = 0n;
  let prepare = 0n;
  for (let tag = position.tag(); tag !== 0; tag = position.tag()) {
    if (tag === 8) commit = position.bigint();
    else if (tag === 16) prepare = position.bigint();
    else position.skip(tag);
  }
  return { commit, prepare };
};

const readAllOptions = (options: ProtobufReader): ReadRequest['all'] => {
  let from: ReadRequest['all'];
  for (let tag = options.tag(); tag !== 0; tag = options.tag()) {
    if (tag === 10) from = readPosition(options.message());
    else {
      if (tag === 18) from = 'start';
      else if (tag === 26) from = 'end';
      options.skip(tag);
    }
  }
  return from;
};

const readIdForm = (option: ProtobufReader): 'structured' | 'text' => {
  let form: 'structured' | 'text' = 'structured';
  for (let tag = option.tag(); tag !== 0; tag = option.tag()) {
    form = tag === 18 ? 'text' : 'structured';
    option.skip(tag);
  }
  return form;
};

const readField = (options: ProtobufReader, tag: number, read: ReadRequest): void => {
  if (tag === 10) read.stream = readStreamOptions(options.message());
  else if (tag === 18) read.all = readAllOptions(options.message());
  else if (tag === 24) read.backward = options.number() === 1;
  else if (tag === 32) read.resolveLinks = options.number() !== 0;
  else if (tag === 40) read.count = options.bigint();
  else if (tag === 58) read.filter = readFilter(options.message());
  else if (tag === 74) read.ids = readIdForm(options.message());
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

export const readReadRequest = (bytes: Buffer): ReadRequest => {
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
    for (let inner = options.tag(); inner !== 0; inner = options.tag()) readField(options, inner, read);
  }
  return read;
};
