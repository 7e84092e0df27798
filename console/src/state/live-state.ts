import { batch, signal } from '@preact/signals';
import { ApiError, ops, responseData } from '../api/client.ts';
import type { Overview, Projection, Replay } from '../api/types.ts';
import { reconnects } from './resource.ts';

export const overview = signal<Overview | undefined>(undefined);
export const projections = signal<readonly Projection[] | undefined>(undefined);
/** Replays that have not ended. */
export const replays = signal<readonly Replay[]>([]);

export const connection = signal<{ readonly state: 'connecting' | 'live' | 'lost'; readonly sinceMs: number }>({
  state: 'connecting',
  sinceMs: Date.now(),
});

const setConnectionState = (state: 'live' | 'lost'): void => {
  if (connection.value.state === state) return;
  const isReconnected = connection.value.state === 'lost' && state === 'live';
  batch(() => {
    connection.value = { state, sinceMs: Date.now() };
    if (isReconnected) reconnects.value += 1;
  });
};

/** A connection without an answer for this long is considered dead, even if its socket is still open. */
const timeoutMs = 20_000;

/** Makes no calls while the page is hidden. Returns a function that stops the calls. */
const poll = (everyMs: number, read: (aborted: AbortSignal) => Promise<void>): (() => void) => {
  const closing = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const readOnce = async (): Promise<void> => {
    try {
      await read(AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)]));
      setConnectionState('live');
    } catch (error) {
      // A service that answers with an error is connected. The page keeps showing the previous data.
      if (!closing.signal.aborted) setConnectionState(error instanceof ApiError ? 'live' : 'lost');
    }
  };
  const next = async (): Promise<void> => {
    if (!document.hidden) await readOnce();
    if (!closing.signal.aborted) timer = setTimeout(() => void next(), everyMs);
  };
  void next();
  return () => {
    closing.abort();
    clearTimeout(timer);
  };
};

const readOverview = async (aborted: AbortSignal): Promise<void> => {
  overview.value = await responseData(ops.GET('/ops/v1/overview', { signal: aborted }));
};

const readProjections = async (aborted: AbortSignal): Promise<void> => {
  const query = { unfinished: 'true' } as const;
  const [listed, unfinished] = await Promise.all([
    responseData(ops.GET('/ops/v1/projections', { signal: aborted })),
    responseData(ops.GET('/ops/v1/replays', { signal: aborted, params: { query } })),
  ]);
  batch(() => {
    projections.value = listed;
    replays.value = unfinished.replays;
  });
};

/** Reads the overview less often than the projections, because the overview costs more. Returns a function that stops the reads. */
export const followState = (): (() => void) => {
  const ends = [poll(5_000, readOverview), poll(2_000, readProjections)];
  return () => ends.forEach((end) => end());
};
