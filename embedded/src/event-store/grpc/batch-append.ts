import type { ServerDuplexStream } from '@grpc/grpc-js';
import { countAppendBytes, type ProposedEvent } from '../streams/event-codec.ts';
import { type StreamStore } from '../streams/stream-store.ts';
import { checkTarget } from './append-codec.ts';
import type { WriteLimits } from './append.ts';
import {
  badBatchRequest,
  type BatchAppendRequest,
  encodeBatchError,
  encodeBatchOutcome,
  type BatchTarget,
  batchTimeout,
  batchTooLarge,
} from './batch-append-codec.ts';
import { LogNotWritableError } from '../log/damage.ts';
import { serverStopping, toGrpcError } from './errors.ts';
import type { OpenCalls } from './open-calls.ts';

type BatchAppendCall = ServerDuplexStream<BatchAppendRequest, Buffer>;

interface Batch {
  readonly target: BatchTarget;
  readonly events: ProposedEvent[];
  bytes: number;
  answered: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** The appends of one duplex call. Unless the call fails or is cancelled, each append gets exactly one response. */
class BatchAppends {
  readonly #store: StreamStore;
  readonly #limits: WriteLimits;
  readonly #call: BatchAppendCall;
  readonly #open = new Map<string, Batch>();
  #writing = 0;
  #ended = false;
  #unsent = 0;
  /** The call ends with this error once no append is being written and all responses are sent. */
  #failure: Error | undefined;

  constructor(store: StreamStore, limits: WriteLimits, call: BatchAppendCall) {
    this.#store = store;
    this.#limits = limits;
    this.#call = call;
  }

  receive(request: BatchAppendRequest): void {
    if (this.#failure) return;
    const id = request.correlationId.toString('latin1');
    const batch = this.#open.get(id) ?? this.#begin(id, request);
    if (!batch) return;
    for (const event of request.events) {
      batch.bytes += countAppendBytes(event);
      batch.events.push(event);
    }
    if (batch.bytes > this.#limits.appendBytes) {
      this.#respond(id, batch, encodeBatchError(batch.target, batchTooLarge(this.#limits.appendBytes)));
    } else if (request.failure) {
      this.#respond(id, batch, encodeBatchError(batch.target, badBatchRequest(request.failure.details)));
    } else if (request.isFinal) this.#write(id, batch);
  }

  /** Must be called when the client has closed its side of the call. Appends that are being written still get their response. */
  end(): void {
    this.#ended = true;
    for (const [id, batch] of this.#open) this.#respond(id, batch, encodeBatchError(batch.target, batchTimeout));
    this.#endWhenDone();
  }

  cancel(): void {
    for (const batch of this.#open.values()) clearTimeout(batch.timer);
    this.#open.clear();
  }

  /** Ignores a message without options, such as the rest of an append that has already been answered. */
  #begin(id: string, { correlationId, options }: BatchAppendRequest): Batch | undefined {
    if (!options) return undefined;
    const target: BatchTarget = { correlationId, stream: options.stream ?? '', expected: options.expected };
    const batch: Batch = { target, events: [], bytes: 0, answered: false, timer: undefined };
    try {
      checkTarget(options.stream, options.expected);
    } catch (error) {
      this.#respond(id, batch, encodeBatchError(target, badBatchRequest((error as Error).message)));
      return undefined;
    }
    if (options.timeoutMs <= 0) {
      this.#respond(id, batch, encodeBatchError(target, batchTimeout));
      return undefined;
    }
    const timeoutMs = Math.min(options.timeoutMs, this.#limits.timeoutMs);
    batch.timer = setTimeout(() => this.#respond(id, batch, encodeBatchError(target, batchTimeout)), timeoutMs);
    this.#open.set(id, batch);
    return batch;
  }

  #write(id: string, batch: Batch): void {
    const { stream, expected } = batch.target;
    this.#open.delete(id);
    this.#writing += 1;
    this.#store.appender
      .append(stream, expected ?? 'any', batch.events)
      .then((outcome) => encodeBatchOutcome(batch.target, outcome))
      .catch((error: unknown) => {
        if (!(error instanceof LogNotWritableError))
          return encodeBatchError(batch.target, badBatchRequest(String(error)));
        // The protocol cannot report this error for a single append. If the call fails, the client reports the reason for each append
        // without a response.
        this.#failure ??= toGrpcError(error);
        return undefined;
      })
      .then((response) => {
        this.#writing -= 1;
        if (response) this.#respond(id, batch, response);
        this.#failWhenDone();
        this.#endWhenDone();
      })
      .catch((error: unknown) => this.#call.emit('error', error));
  }

  #respond(id: string, batch: Batch, response: Buffer): void {
    if (batch.answered) return;
    batch.answered = true;
    clearTimeout(batch.timer);
    if (this.#open.get(id) === batch) this.#open.delete(id);
    this.#unsent += 1;
    this.#call.write(response, () => {
      this.#unsent -= 1;
      this.#failWhenDone();
    });
  }

  #failWhenDone(): void {
    if (this.#failure && this.#writing === 0 && this.#unsent === 0) this.#call.emit('error', this.#failure);
  }

  #endWhenDone(): void {
    if (this.#ended && this.#writing === 0 && !this.#failure) this.#call.end();
  }
}

export const createBatchAppendHandler =
  (store: StreamStore, calls: OpenCalls, limits: WriteLimits) =>
  (call: BatchAppendCall): void => {
    const appends = new BatchAppends(store, limits, call);
    const unregister = calls.register(() => call.emit('error', serverStopping()));
    const cancel = (): void => {
      appends.cancel();
      unregister();
    };
    call.on('data', (request: BatchAppendRequest) => {
      appends.receive(request);
      const { log } = store;
      if (log.pendingBytes < limits.pendingBytes || call.isPaused()) return;
      call.pause();
      const resume = (): void => void call.resume();
      void log.waitUntilDurable(log.end).then(resume, resume);
    });
    call.on('end', () => appends.end());
    call.on('cancelled', cancel);
    call.on('close', cancel);
    call.on('error', cancel);
  };
