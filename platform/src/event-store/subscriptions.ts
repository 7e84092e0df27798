import { type AllStreamSubscription, type Filter, streamNameFilter } from '@eventstore/db-client';
import { isSlowReaderError, toEventStoreError } from './errors.ts';
import { toLogEvent } from './event-encoding.ts';
import type { SubscribeOptions, SubscriptionItem } from './port.ts';

/** `start`: the position before the first event. */
type Position = bigint | 'start';

const isAfter = (position: bigint, other: Position): boolean => other === 'start' || position > other;

export interface SearchedEvent {
  readonly stream: string;
  readonly position: bigint;
}

type StreamSelection = Pick<SubscribeOptions, 'prefixes' | 'pattern'>;

export interface SubscriptionSource {
  readonly open: (after: Position, filter: Filter) => AllStreamSubscription;
  /** Includes the event at `position`. Returns fewer than `max` events at the end of the log. */
  readonly readFrom: (position: Position, max: number, signal: AbortSignal) => Promise<readonly SearchedEvent[]>;
  readonly onSlowReader: (after: Position) => void;
}

interface SubscriptionState {
  isCaughtUp: boolean;
  failure: unknown;
  /** The client has received all matching events before this position. */
  checkpoint: bigint;
  wake: () => void;
}

/** The server reports its progress after this many events, even if none of them matches the filter. */
const checkpointInterval = 1_000;

const openSubscription = (
  source: SubscriptionSource,
  after: Position,
  { prefixes, pattern }: StreamSelection,
): { readonly subscription: AllStreamSubscription; readonly state: SubscriptionState } => {
  const state: SubscriptionState = { isCaughtUp: false, failure: undefined, checkpoint: 0n, wake: () => undefined };
  const options = {
    maxSearchWindow: checkpointInterval,
    checkpointInterval: 1,
    checkpointReached: (_: AllStreamSubscription, { commit }: { readonly commit: bigint }) => {
      state.checkpoint = commit;
      state.wake();
    },
  };
  const filter =
    pattern === undefined
      ? streamNameFilter({ prefixes: [...prefixes], ...options })
      : streamNameFilter({ regex: pattern, ...options });
  const fail = (error: unknown) => {
    state.failure ??= error;
    state.wake();
  };
  const subscription = source
    .open(after, filter)
    .on('readable', () => state.wake())
    .on('caughtUp', () => {
      state.isCaughtUp = true;
      state.wake();
    })
    .on('error', fail)
    .on('end', () => fail(new Error('the event store ended the subscription')));
  return { subscription, state };
};

const waitForChange = async (state: SubscriptionState, timeoutMs: number | undefined): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const isChanged = await new Promise<boolean>((resolve) => {
    state.wake = () => resolve(true);
    if (timeoutMs !== undefined) timer = setTimeout(() => resolve(false), timeoutMs);
  });
  clearTimeout(timer);
  return isChanged;
};

const silenceMs = { first: 250, max: 4_000 };
/** With events of 256 KiB, a search reads 25 MiB at once. */
const searchPageEvents = 100;

/**
 * Searches the log for undelivered events. EventStoreDB 24.10.4 sent no `caughtUp` to a filtered subscription within 45 s if no
 * event matched.
 */
class TailSearch {
  readonly #source: SubscriptionSource;
  readonly #isWanted: (event: SearchedEvent) => boolean;
  readonly #signal: AbortSignal;
  #lastDelivered: Position;
  /** No event between the last delivered event and this position matches. The event at this position may match. */
  #searchFrom: Position;

  constructor(
    source: SubscriptionSource,
    { prefixes, pattern }: StreamSelection,
    after: Position,
    signal: AbortSignal,
  ) {
    this.#source = source;
    this.#signal = signal;
    const expression = pattern === undefined ? undefined : new RegExp(pattern);
    this.#isWanted = ({ stream }) => expression?.test(stream) ?? prefixes.some((prefix) => stream.startsWith(prefix));
    this.#lastDelivered = after;
    this.#searchFrom = after;
  }

  reportDelivered(position: bigint): void {
    this.#lastDelivered = position;
    this.skipTo(position);
  }

  skipTo(checkpoint: bigint): void {
    if (isAfter(checkpoint, this.#searchFrom)) this.#searchFrom = checkpoint;
  }

  /** Resolves with true if the subscription has delivered every matching event up to `upTo`, or up to the end of the log. */
  async isComplete(upTo: bigint | undefined): Promise<boolean> {
    for (;;) {
      const events = await this.#source
        .readFrom(this.#searchFrom, searchPageEvents, this.#signal)
        .catch(() => undefined);
      if (!events) return false;
      for (const event of events) {
        if (!isAfter(event.position, this.#lastDelivered)) continue;
        if (upTo !== undefined && event.position > upTo) return true;
        if (this.#isWanted(event)) return false;
        this.#searchFrom = event.position;
      }
      if (events.length < searchPageEvents) return true;
    }
  }
}

type ResolvedItem = { readonly event?: Parameters<typeof toLogEvent>[0] } | null;

type Options = Omit<SubscribeOptions, 'after'> & { readonly after: Position };

/**
 * The client emits `caughtUp` while events are still in its buffer, so the loop yields `caught-up` only when the buffer is empty.
 */
async function* readOnce(
  source: SubscriptionSource,
  { after, signal, upTo, ...streams }: Options,
): AsyncGenerator<SubscriptionItem> {
  const { subscription, state } = openSubscription(source, after, streams);
  const search = new TailSearch(source, streams, after, signal);
  let silenceAllowedMs: number | undefined = silenceMs.first;
  const stop = () => state.wake();
  signal.addEventListener('abort', stop);
  // A matching event at the position of a checkpoint may still arrive, so a checkpoint at `upTo` is not enough.
  const isPastEnd = () => upTo !== undefined && (state.isCaughtUp || state.checkpoint > upTo);
  try {
    while (!signal.aborted) {
      const item = subscription.read() as ResolvedItem;
      if (item?.event) {
        const event = toLogEvent(item.event);
        if (upTo !== undefined && event.position > upTo) return;
        search.reportDelivered(event.position);
        yield { kind: 'event', event };
      }
      if (item !== null) continue;
      if (isPastEnd()) return;
      if (state.failure !== undefined) throw state.failure as Error;
      if (state.isCaughtUp) {
        state.isCaughtUp = false;
        silenceAllowedMs = undefined;
        yield { kind: 'caught-up' };
      } else if (!(await waitForChange(state, silenceAllowedMs))) {
        search.skipTo(state.checkpoint);
        // Never set to false here: the server may have reported `caughtUp` during the search.
        if (await search.isComplete(upTo)) state.isCaughtUp = true;
        silenceAllowedMs = Math.min(2 * silenceAllowedMs!, silenceMs.max);
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
    await subscription.unsubscribe().catch(() => undefined);
  }
}

/** Subscribes again if the store ends the subscription of a slow reader. Throws an error of errors.ts if the connection is lost. */
export async function* readSubscription(
  source: SubscriptionSource,
  { after, ...options }: SubscribeOptions,
): AsyncGenerator<SubscriptionItem> {
  const { upTo, signal } = options;
  let last: Position = after;
  while (!signal.aborted && (upTo === undefined || isAfter(upTo, last))) {
    try {
      for await (const item of readOnce(source, { ...options, after: last })) {
        if (item.kind === 'event') last = item.event.position;
        yield item;
      }
      return;
    } catch (error) {
      if (!isSlowReaderError(error)) throw toEventStoreError(error);
      source.onSlowReader(last);
    }
  }
}
