import type { ServerWritableStream } from '@grpc/grpc-js';
import { type Frame, messageEnd, messageStart } from '../log/frames.ts';
import { readEventData } from '../streams/event-codec.ts';
import type { StreamStore } from '../streams/stream-store.ts';
import type { GrpcError } from './errors.ts';
import { FramedChunk } from './framed-chunks.ts';
import { encodeReadEvent, isLink, type ReadRequest } from './read-codec.ts';

export type ReadCall = ServerWritableStream<ReadRequest, Buffer>;

/**
 * The response stream of one read. `flush` waits while the client's receive window is full, so the reading loop runs at the client's speed.
 */
export class Reply {
  readonly #call: ReadCall;
  readonly #chunk: FramedChunk | undefined;
  #cancelled = false;
  #resume: (() => void) | undefined;
  /** Called when the client has cancelled the call or is disconnected. */
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

  /** Whether the collected messages should be sent. A chunk is sent when it is half full. */
  get isFull(): boolean {
    return this.#chunk?.isHalfFull ?? false;
  }

  add(message: Buffer, from = 0, to = message.length): void {
    if (this.#chunk) this.#chunk.add(message, from, to);
    else this.#call.write(Buffer.from(message.subarray(from, to)));
  }

  /** Writes the collected messages and waits until the client can receive more. */
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

/**
 * Parses the data of a link event: `revision@stream`. The stream is empty if `@stream` is missing. Returns undefined for other data; the
 * node then sends the link event itself, as EventStoreDB does.
 */
const parseLink = (link: Frame): LinkTarget | undefined => {
  const parts = /^(-?\d+)(?:@(.*))?$/s.exec(readEventData(link).toString('utf8'));
  return parts ? { revision: Number(parts[1]), stream: parts[2] ?? '' } : undefined;
};

/** Adds events to a reply in the form that the request specifies. */
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

  /** Sends an event, nearly always as a copy of the stored message. Returns a promise only for a link that has to be resolved. */
  send(frame: Frame, position: number): Promise<void> | undefined {
    const target = this.#resolvesLinks && isLink(frame) ? parseLink(frame) : undefined;
    if (target) return this.#sendResolved(frame, target, position);
    if (this.#structuredIds) this.#reply.add(encodeReadEvent({ event: frame, link: undefined }, position, true));
    else this.#reply.add(frame.bytes, messageStart(frame.at), messageEnd(frame.bytes, frame.at));
    return undefined;
  }

  /** Sends a link together with the event that it points to. Sends the link alone if that event is missing or must not be read. */
  async #sendResolved(link: Frame, { stream, revision }: LinkTarget, position: number): Promise<void> {
    const event = await this.#store.reader.readEventAt(stream, revision);
    this.#reply.add(encodeReadEvent({ event, link }, position, this.#structuredIds));
  }
}
