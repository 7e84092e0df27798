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
  subscribe(isLetIn?: () => boolean): Readable;
  /** The number of open streams. */
  readonly subscriberCount: number;
}

const keepAliveMs = 15_000;
const reconnectHint = 'retry: 3000\n\n';

export const createLiveHub = (
  channels: readonly LiveChannel[],
  { log, stopping, maxSubscribers = 50, maxUnreadBytes = 256 * 1024 }: LiveHubOptions,
): LiveHub => {
  const listeners = new Map<Readable, () => boolean>();
  const latest = new Map<string, string>();
  let timers: NodeJS.Timeout[] = [];

  const rest = () => {
    for (const timer of timers) clearInterval(timer);
    timers = [];
    latest.clear();
  };
  const leave = (listener: Readable) => {
    listeners.delete(listener);
    if (listeners.size === 0) rest();
  };
  /** Removes the subscriber first: pushing after the end of a stream is an error. */
  const end = (listener: Readable) => {
    leave(listener);
    listener.push(null);
  };
  const send = (text: string) => {
    for (const [listener, isLetIn] of listeners)
      if (!isLetIn()) end(listener);
      else if (listener.readableLength > maxUnreadBytes)
        listener.destroy(new ApiError('UNAVAILABLE', 'The client reads the event stream too slowly.'));
      else listener.push(text);
  };

  const telling = ({ event, read }: LiveChannel) => {
    let isAtWork = false;
    return async () => {
      if (isAtWork) return;
      isAtWork = true;
      try {
        const text = `event: ${event}\ndata: ${JSON.stringify(await read())}\n\n`;
        if (listeners.size > 0) latest.set(event, text);
        send(text);
      } catch (err) {
        log.debug({ err, event }, 'failed to read live event data');
      } finally {
        isAtWork = false;
      }
    };
  };
  const tellers = channels.map((channel) => ({ everyMs: channel.intervalMs, tell: telling(channel) }));

  const begin = () => {
    for (const { tell } of tellers) void tell();
    timers = [
      ...tellers.map(({ tell, everyMs }) => setInterval(() => void tell(), everyMs)),
      setInterval(() => send(': alive\n\n'), keepAliveMs),
    ];
  };

  stopping?.addEventListener('abort', () => {
    for (const listener of listeners.keys()) end(listener);
  });

  return {
    get subscriberCount() {
      return listeners.size;
    },
    subscribe(isLetIn = () => true) {
      if (stopping?.aborted) throw new ApiError('UNAVAILABLE', 'The service is stopping.');
      if (listeners.size >= maxSubscribers)
        throw new ApiError('UNAVAILABLE', 'Too many event-stream subscribers.', { retryAfterSeconds: 30 });
      const listener = new Readable({ read: () => undefined });
      listener.push(reconnectHint + [...latest.values()].join(''));
      listeners.set(listener, isLetIn);
      listener.once('close', () => leave(listener));
      if (listeners.size === 1) begin();
      return listener;
    },
  };
};
