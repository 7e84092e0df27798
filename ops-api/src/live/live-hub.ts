import { Readable } from 'node:stream';
import { ApiError } from '@popsvc/contracts/errors';
import type { Log } from '@popsvc/platform/telemetry';

/** One type of event in the live stream. */
export interface LiveChannel {
  /** The name of the server-sent event. */
  readonly event: string;
  readonly intervalMs: number;
  /**
   * Reads the data of the event, which is sent as JSON. If reading fails, subscribers receive no event until the next
   * interval.
   */
  readonly read: () => Promise<unknown>;
}

export interface LiveHubOptions {
  readonly log: Log;
  /** Aborted when the server stops, which ends all streams. */
  readonly stopping?: AbortSignal | undefined;
  readonly maxSubscribers?: number;
  /** Maximum number of unread bytes per subscriber. A subscriber that exceeds this limit is disconnected. */
  readonly maxUnreadBytes?: number;
}

/** Broadcasts server-sent events. Data is read once for all subscribers, and not at all while there are none. */
export interface LiveHub {
  /**
   * Opens a stream. The stream starts with the latest event of each channel and continues with new events until
   * `isAuthorized` returns false. Throws UNAVAILABLE if there are already `maxSubscribers` streams.
   */
  subscribe(isAuthorized?: () => boolean): Readable;
  /** The number of open streams. */
  readonly subscriberCount: number;
}

const keepAliveMs = 15_000;
const reconnectHint = 'retry: 3000\n\n';

export const createLiveHub = (
  channels: readonly LiveChannel[],
  { log, stopping, maxSubscribers = 50, maxUnreadBytes = 256 * 1024 }: LiveHubOptions,
): LiveHub => {
  const subscribers = new Map<Readable, () => boolean>();
  const latest = new Map<string, string>();
  let timers: NodeJS.Timeout[] = [];

  const stopTimers = () => {
    for (const timer of timers) clearInterval(timer);
    timers = [];
    latest.clear();
  };
  const remove = (subscriber: Readable) => {
    subscribers.delete(subscriber);
    if (subscribers.size === 0) stopTimers();
  };
  /** Ends the stream of a subscriber. Removes the subscriber first, because pushing to an ended stream is an error. */
  const end = (subscriber: Readable) => {
    remove(subscriber);
    subscriber.push(null);
  };
  const send = (text: string) => {
    for (const [subscriber, isAuthorized] of subscribers)
      if (!isAuthorized()) end(subscriber);
      else if (subscriber.readableLength > maxUnreadBytes)
        subscriber.destroy(new ApiError('UNAVAILABLE', 'The client reads the event stream too slowly.'));
      else subscriber.push(text);
  };

  const broadcaster = ({ event, read }: LiveChannel) => {
    let isRunning = false;
    return async () => {
      if (isRunning) return;
      isRunning = true;
      try {
        const text = `event: ${event}\ndata: ${JSON.stringify(await read())}\n\n`;
        if (subscribers.size > 0) latest.set(event, text);
        send(text);
      } catch (err) {
        log.debug({ err, event }, 'failed to read live event data');
      } finally {
        isRunning = false;
      }
    };
  };
  const broadcasters = channels.map((channel) => ({ intervalMs: channel.intervalMs, broadcast: broadcaster(channel) }));

  const begin = () => {
    for (const { broadcast } of broadcasters) void broadcast();
    timers = [
      ...broadcasters.map(({ broadcast, intervalMs }) => setInterval(() => void broadcast(), intervalMs)),
      setInterval(() => send(': alive\n\n'), keepAliveMs),
    ];
  };

  stopping?.addEventListener('abort', () => {
    for (const subscriber of subscribers.keys()) end(subscriber);
  });

  return {
    get subscriberCount() {
      return subscribers.size;
    },
    subscribe(isAuthorized = () => true) {
      if (stopping?.aborted) throw new ApiError('UNAVAILABLE', 'The service is stopping; connect again later.');
      if (subscribers.size >= maxSubscribers)
        throw new ApiError('UNAVAILABLE', 'Too many live-update subscribers; try again later.', {
          retryAfterSeconds: 30,
        });
      const subscriber = new Readable({ read: () => undefined });
      subscriber.push(reconnectHint + [...latest.values()].join(''));
      subscribers.set(subscriber, isAuthorized);
      subscriber.once('close', () => remove(subscriber));
      if (subscribers.size === 1) begin();
      return subscriber;
    },
  };
};
