import type { ServerWritableStream } from '@grpc/grpc-js';
import { type Frame, messageEnd, messageStart } from '../log/frames.ts';
import { readEventData } from '../streams/event-codec.ts';
import type { StreamStore } from '../streams/stream-store.ts';
import type { GrpcError } from './errors.ts';
import { FramedChunk } from './framed-chunks.ts';
import { encodeReadEvent, isLink, type ReadRequest } from './read-codec.ts';

export type ReadCall = ServerWritableStream<ReadRequest, Buffer>;

/** `flush` waits while the client's receive window is full, so that the reading loop runs at the client's speed. */
export class Reply {
  readonly #call: ReadCall;
  readonly #chunk: FramedChunk | undefined;
  #cancelled = false;
  #resume: (() => void) | undefined;
  onCancelled: () => void = () => undefined;

  constructor(call: ReadCall, coalesces: boolean) {
    this.#call = call;
    this.#chunk = coalesces ? new FramedChunk() : undefined;
    call.on('drain', () => this.#resume?.());
    call.on('cancelled', () => this.#cancel());
    call.on('close', () => this.#cancel());
    call.on('error', () => this.#cancel());
  }

  isCancelled(): boolean {
    return this.#cancelled;
  }

  get isFull(): boolean {
    return this.#chunk?.isHalfFull ?? false;
  }

  add(message: Buffer, from = 0, to = message.length): void {
    if (this.#chunk) this.#chunk.add(message, from, to);
    else this.#call.write(Buffer.from(message.subarray(from, to)));
  }

  async flush(): Promise<void> {
    if (this.#cancelled) return;
    const chunk = this.#chunk?.take();
    if (chunk) this.#call.write(chunk);
    if (!this.#call.writableNeedDrain) return;
    await new Promise<void>((resolve) => (this.#resume = resolve));
    this.#resume = undefined;
  }

  end(): void {
    if (!this.#cancelled) this.#call.end();
  }

  fail(error: GrpcError): void {
    if (!this.#cancelled) this.#call.emit('error', error);
  }

  #cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.#resume?.();
    this.onCancelled();
  }
}

interface LinkTarget {
  readonly stream: string;
  readonly revision: number;
}

/** The data of a link event is `revision@stream`. Like EventStoreDB, the node sends a link with other data unresolved. */
const parseLink = (link: Frame): LinkTarget | undefined => {
  const parts = /^(-?\d+)(?:@(.*))?$/s.exec(readEventData(link).toString('utf8'));
  return parts ? { revision: Number(parts[1]), stream: parts[2] ?? '' } : undefined;
};

export class EventSender {
  readonly #store: StreamStore;
  readonly #reply: Reply;
  readonly #structuredIds: boolean;
  readonly #resolvesLinks: boolean;

  constructor(store: StreamStore, reply: Reply, request: ReadRequest) {
    this.#store = store;
    this.#reply = reply;
    this.#structuredIds = request.ids === 'structured';
    this.#resolvesLinks = request.resolveLinks;
  }

  /** Returns a promise only for a link that has to be resolved. */
  send(frame: Frame, position: number): Promise<void> | undefined {
    const target = this.#resolvesLinks && isLink(frame) ? parseLink(frame) : undefined;
    if (target) return this.#sendResolved(frame, target, position);
    if (this.#structuredIds) this.#reply.add(encodeReadEvent({ event: frame, link: undefined }, position, true));
    else this.#reply.add(frame.bytes, messageStart(frame.at), messageEnd(frame.bytes, frame.at));
    return undefined;
  }

  /** Sends the link alone if the event is missing, or if the stream is deleted or its limits hide the event. */
  async #sendResolved(link: Frame, { stream, revision }: LinkTarget, position: number): Promise<void> {
    const event = await this.#store.reader.readEventAt(stream, revision);
    this.#reply.add(encodeReadEvent({ event, link }, position, this.#structuredIds));
  }
}
