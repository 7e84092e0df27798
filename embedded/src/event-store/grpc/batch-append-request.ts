import { type ExpectedRevision, type ProposedEvent } from '../streams/index.ts';
import { ProtobufReader } from '../protobuf/wire-reader.ts';
import { readProposedEvent, readTargetField } from './append-request.ts';
import { Failure } from './failure.ts';

export interface BatchOptions {
  readonly stream: string | undefined;
  readonly expected: ExpectedRevision | undefined;
  /** Milliseconds that the client is willing to wait, counted from receipt. */
  readonly timeoutMs: number;
}

/** One message of a batch append. The whole append may come in several, joined by the correlation id. */
export interface BatchAppendRequest {
  /** The id's own bytes: it is sent back in the form in which it came. */
  readonly correlationId: Buffer;
  readonly options: BatchOptions | undefined;
  readonly events: readonly ProposedEvent[];
  /** What is wrong with one of the events. */
  readonly failure: Failure | undefined;
  readonly isFinal: boolean;
}

/** Timestamp and Duration share their fields: seconds and nanoseconds. */
const readMilliseconds = (time: ProtobufReader): number => {
  let milliseconds = 0;
  for (let tag = time.tag(); tag !== 0; tag = time.tag()) {
    if (tag === 8) milliseconds += Number(BigInt.asIntN(64, time.bigint())) * 1000;
    else if (tag === 16) milliseconds += Number(BigInt.asIntN(64, time.bigint())) / 1e6;
    else time.skip(tag);
  }
  return milliseconds;
};

const readOptions = (options: ProtobufReader): BatchOptions => {
  const target: { stream: string | undefined; expected: ExpectedRevision | undefined } = {
    stream: undefined,
    expected: undefined,
  };
  let timeoutMs = Infinity;
  for (let tag = options.tag(); tag !== 0; tag = options.tag()) {
    if (tag === 50) timeoutMs = readMilliseconds(options.message()) - Date.now();
    else if (tag === 58) timeoutMs = readMilliseconds(options.message());
    else if (!readTargetField(options, tag, target)) options.skip(tag);
  }
  return { ...target, timeoutMs };
};

export const readBatchAppendRequest = (bytes: Buffer): BatchAppendRequest => {
  const request = new ProtobufReader(bytes);
  let correlationId: Buffer = Buffer.alloc(0);
  let options: BatchOptions | undefined;
  let failure: Failure | undefined;
  let isFinal = false;
  const events: ProposedEvent[] = [];
  for (let tag = request.tag(); tag !== 0; tag = request.tag()) {
    if (tag === 10) correlationId = request.bytes();
    else if (tag === 18) options = readOptions(request.message());
    else if (tag === 32) isFinal = request.number() !== 0;
    else if (tag === 26) {
      try {
        events.push(readProposedEvent(request.message()));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        failure ??= error;
      }
    } else request.skip(tag);
  }
  return { correlationId, options, events, failure, isFinal };
};
