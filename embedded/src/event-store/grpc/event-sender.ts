import { type Frame, messageEnd, messageStart } from '../log/index.ts';
import { type StreamStore } from '../streams/index.ts';
import { isLink, readEvent } from './read-answer.ts';
import { type ReadRequest } from './read-request.ts';
import { type Reply } from './reply.ts';

/** Puts events into a reply in the form that the reader asked for. */
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

  /** Nearly always a copy of the stored message; the rest has to be waited for. */
  send(frame: Frame, position: number): Promise<void> | undefined {
    if (this.#resolvesLinks && isLink(frame)) return this.#sendResolved(frame, position);
    if (this.#structuredIds) this.#reply.add(readEvent({ event: frame, link: undefined }, position, true));
    else this.#reply.add(frame.bytes, messageStart(frame.at), messageEnd(frame.bytes, frame.at));
    return undefined;
  }

  async #sendResolved(link: Frame, position: number): Promise<void> {
    const event = await this.#store.reader.linked(link);
    this.#reply.add(readEvent({ event, link }, position, this.#structuredIds));
  }
}
