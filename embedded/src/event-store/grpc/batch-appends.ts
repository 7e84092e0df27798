import { type ServerDuplexStream } from '@grpc/grpc-js';
import { type ProposedEvent, type StreamStore, countedBytes } from '../streams/index.ts';
import { type BatchTarget, badRequest, batchError, batchOutcome, timeout, tooLarge } from './batch-append-answer.ts';
import { checkedTarget } from './append-request.ts';
import { type BatchAppendRequest } from './batch-append-request.ts';
import { type WriteLimits } from './write-limits.ts';

export type BatchAppendCall = ServerDuplexStream<BatchAppendRequest, Buffer>;

/** An append whose parts are still coming, or which is on its way to the disk. */
interface Batch {
  readonly target: BatchTarget;
  readonly events: ProposedEvent[];
  bytes: number;
  answered: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** The appends of one duplex call. Each correlation id is answered exactly once, whatever happens to its append. */
export class BatchAppends {
  readonly #store: StreamStore;
  readonly #limits: WriteLimits;
  readonly #call: BatchAppendCall;
  /** Appends that are not complete yet. */
  readonly #open = new Map<string, Batch>();
  #writing = 0;
  #ended = false;

  constructor(store: StreamStore, limits: WriteLimits, call: BatchAppendCall) {
    this.#store = store;
    this.#limits = limits;
    this.#call = call;
  }

  take(request: BatchAppendRequest): void {
    const id = request.correlationId.toString('latin1');
    const batch = this.#open.get(id) ?? this.#begin(id, request);
    if (!batch) return;
    for (const event of request.events) {
      batch.bytes += countedBytes(event);
      batch.events.push(event);
    }
    if (batch.bytes > this.#limits.appendBytes) {
      this.#answer(id, batch, batchError(batch.target, tooLarge(this.#limits.appendBytes)));
    } else if (request.failure) {
      this.#answer(id, batch, batchError(batch.target, badRequest(request.failure.details)));
    } else if (request.isFinal) this.#write(id, batch);
  }

  /** The client sends no more: what is incomplete stays so, what is being written is still answered. */
  end(): void {
    this.#ended = true;
    for (const [id, batch] of this.#open) this.#answer(id, batch, batchError(batch.target, timeout));
    this.#endWhenDone();
  }

  drop(): void {
    for (const batch of this.#open.values()) clearTimeout(batch.timer);
    this.#open.clear();
  }

  /** Only a message with options begins an append; others belong to one that was answered already. */
  #begin(id: string, { correlationId, options }: BatchAppendRequest): Batch | undefined {
    if (!options) return undefined;
    const target: BatchTarget = { correlationId, stream: options.stream ?? '', expected: options.expected };
    const batch: Batch = { target, events: [], bytes: 0, answered: false, timer: undefined };
    try {
      checkedTarget(options.stream, options.expected);
    } catch (error) {
      this.#answer(id, batch, batchError(target, badRequest((error as Error).message)));
      return undefined;
    }
    if (options.timeoutMs <= 0) {
      this.#answer(id, batch, batchError(target, timeout));
      return undefined;
    }
    const wait = Math.min(options.timeoutMs, this.#limits.timeoutMs);
    batch.timer = setTimeout(() => this.#answer(id, batch, batchError(target, timeout)), wait);
    this.#open.set(id, batch);
    return batch;
  }

  #write(id: string, batch: Batch): void {
    const { stream, expected } = batch.target;
    this.#open.delete(id);
    this.#writing += 1;
    this.#store.appender
      .append(stream, expected ?? 'any', batch.events)
      .then((outcome) => batchOutcome(batch.target, outcome))
      .catch((error: unknown) => batchError(batch.target, badRequest(String(error))))
      .then((answer) => {
        this.#writing -= 1;
        this.#answer(id, batch, answer);
        this.#endWhenDone();
      })
      .catch((error: unknown) => this.#call.emit('error', error));
  }

  #answer(id: string, batch: Batch, answer: Buffer): void {
    if (batch.answered) return;
    batch.answered = true;
    clearTimeout(batch.timer);
    if (this.#open.get(id) === batch) this.#open.delete(id);
    this.#call.write(answer);
  }

  #endWhenDone(): void {
    if (this.#ended && this.#writing === 0) this.#call.end();
  }
}
