import { Readable } from 'node:stream';
import { ApiError } from '@popsvc/contracts/errors';
import type { Log } from '@popsvc/platform/telemetry';

/** One event type of the stream. */
export interface LiveChannel {
  /** The SSE event name. */
  readonly event: string;
  readonly intervalMs: number;
  /** Reads the event's data, sent as JSON. If it fails, no event is sent until the next interval. */
  readonly read: () => Promise<unknown>;
}

export interface LiveHubOptions {
  readonly log: Log;
  /** Ends all streams when aborted. */
  readonly stopping?: AbortSignal | undefined;
  readonly maxSubscribers?: number;
  /** A subscriber with more unread bytes than this is disconnected. */
  readonly maxUnreadBytes?: number;
}

/** Broadcasts server-sent events. Data is read once for all subscribers, and not at all without subscribers. */
export interface LiveHub {
  /**
   * Opens a stream: the latest event of each channel, then new ones while `isAuthorized` returns true. Throws UNAVAILABLE above
   * `maxSubscribers`.
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
  /** Removes the subscriber first: pushing after the end of a stream is an error. */
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
      if (stopping?.aborted) throw new ApiError('UNAVAILABLE', 'The service is stopping.');
      if (subscribers.size >= maxSubscribers)
        throw new ApiError('UNAVAILABLE', 'Too many event-stream subscribers.', { retryAfterSeconds: 30 });
      const subscriber = new Readable({ read: () => undefined });
      subscriber.push(reconnectHint + [...latest.values()].join(''));
      subscribers.set(subscriber, isAuthorized);
      subscriber.once('close', () => remove(subscriber));
      if (subscribers.size === 1) begin();
      return subscriber;
    },
  };
};
