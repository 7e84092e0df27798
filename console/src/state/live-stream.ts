import { batch, signal } from '@preact/signals';
import { baseUrl, ops } from '../api/client.ts';
import type { Overview, Projection, Replay } from '../api/types.ts';
import { reconnects } from './resource.ts';

/** These signals contain the latest data from the server's event stream. Until the first event arrives, they are undefined or empty. */
export const overview = signal<Overview | undefined>(undefined);
export const projections = signal<readonly Projection[] | undefined>(undefined);
export const replays = signal<readonly Replay[]>([]);

export const connection = signal<{ readonly state: 'connecting' | 'live' | 'lost'; readonly sinceMs: number }>({
  state: 'connecting',
  sinceMs: Date.now(),
});

const reconnectDelayMs = 3_000;
/**
 * The server sends an event every 2 s. After this long without an event, the connection is considered dead, even if its socket is
 * still open.
 */
const silenceLimitMs = 20_000;

const setConnectionState = (state: 'live' | 'lost'): void => {
  if (connection.value.state === state) return;
  const isReconnected = connection.value.state === 'lost' && state === 'live';
  batch(() => {
    connection.value = { state, sinceMs: Date.now() };
    if (isReconnected) reconnects.value += 1;
  });
};

/** Subscribes to the server's event stream and reconnects when the connection is lost. The returned function ends the subscription. */
export const openLiveStream = (): (() => void) => {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  // If a session check completes after the stream was closed, this flag prevents a new connection.
  let isClosed = false;
  const startTimer = (delayMs: number, callback: () => void) => {
    clearTimeout(timer);
    timer = setTimeout(callback, delayMs);
  };
  const onEvent = () => {
    setConnectionState('live');
    startTimer(silenceLimitMs, reconnect);
  };
  const reconnect = () => {
    if (isClosed) return;
    source?.close();
    setConnectionState('lost');
    startTimer(reconnectDelayMs, () => {
      // An EventSource does not expose the HTTP status of a failed request. This request detects an expired session (401).
      ops.GET('/ops/v1/session').then(open, reconnect);
    });
  };
  const open = () => {
    if (isClosed) return;
    source = new EventSource(`${baseUrl}/ops/v1/live`);
    source.addEventListener('error', reconnect);
    source.addEventListener('overview', ({ data }: MessageEvent<string>) => {
      overview.value = JSON.parse(data) as Overview;
      onEvent();
    });
    source.addEventListener('projections', ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as { projections: readonly Projection[]; replays: readonly Replay[] };
      batch(() => {
        projections.value = event.projections;
        replays.value = event.replays;
      });
      onEvent();
    });
    startTimer(silenceLimitMs, reconnect);
  };
  open();
  return () => {
    isClosed = true;
    clearTimeout(timer);
    source?.close();
  };
};
