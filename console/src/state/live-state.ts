import { batch, signal } from '@preact/signals';
import { ops, responseData } from '../api/client.ts';
import type { Overview, Projection, Replay } from '../api/types.ts';
import { reconnects } from './resource.ts';

/** These signals contain the latest state of the service. Until the first answers arrive, they are undefined or empty. */
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

const pollMs = 2_000;
/** All replays that have not ended are among these. */
const newestReplays = 20;
/** The overview costs the service more than the projections. */
const overviewEveryMs = 5_000;
/** After this long without an answer, the connection is considered dead, even if its socket is still open. */
const timeoutMs = 20_000;

/** Reads the state of the service every two seconds. The returned function ends that. */
export const followState = (): (() => void) => {
  const closing = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let overviewAtMs = -Infinity;

  const read = async (signal: AbortSignal): Promise<void> => {
    const isOverviewDue = performance.now() - overviewAtMs >= overviewEveryMs;
    const [whole, listed, { replays: newest }] = await Promise.all([
      isOverviewDue ? responseData(ops.GET('/ops/v1/overview', { signal })) : overview.value,
      responseData(ops.GET('/ops/v1/projections', { signal })),
      responseData(ops.GET('/ops/v1/replays', { signal, params: { query: { limit: newestReplays } } })),
    ]);
    if (isOverviewDue) overviewAtMs = performance.now();
    batch(() => {
      overview.value = whole;
      projections.value = listed;
      replays.value = newest.filter(({ ended_at: endedAt }) => endedAt === null);
    });
  };
  const poll = async (): Promise<void> => {
    const isRead = await read(AbortSignal.any([closing.signal, AbortSignal.timeout(timeoutMs)])).then(
      () => true,
      () => false,
    );
    if (closing.signal.aborted) return;
    setConnectionState(isRead ? 'live' : 'lost');
    timer = setTimeout(() => void poll(), pollMs);
  };
  void poll();
  return () => {
    closing.abort();
    clearTimeout(timer);
  };
};
