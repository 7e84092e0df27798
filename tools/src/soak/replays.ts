import { setTimeout as sleep } from 'node:timers/promises';
import { allProjections } from '@popsvc/projectors/projections';
import type { Random } from '../rig/random.ts';
import { waitUntil } from '../rig/clients.ts';
import { type Access, requestOps, statusOf } from './access.ts';

interface ReplayResponse {
  readonly id: number;
  readonly state: string;
  readonly verified: boolean;
  readonly error: string | null;
  readonly ended_at: string | null;
}

export interface Replays {
  /** Number of completed operations by kind. */
  readonly done: Readonly<Record<'replayed' | 'verified' | 'rolledBack', number>>;
  stop(): Promise<void>;
}

/**
 * Timeout of a replay. It is long, because a replay waits for the live projection, which in turn waits for stores that are killed
 * repeatedly.
 */
const replayTimeoutMs = 45 * 60_000;

/**
 * Starts a background task that acts as an operator: it starts replays at random times, even while processes are being killed,
 * and rolls some of them back.
 */
export const startReplays = (
  access: Access,
  { below, happens, pick }: Random,
  everyMs: number,
  addFailure: (text: string) => void,
): Replays => {
  const done = { replayed: 0, verified: 0, rolledBack: 0 };
  const end = new AbortController();
  const startReplay = async (path: string, body?: unknown): Promise<ReplayResponse | undefined> =>
    requestOps<ReplayResponse>(access.service(), 'POST', path, body).catch((error: unknown) => {
      // An error without a response or with any other status means only that the service is temporarily unavailable. It is not
      // a failure: a replay that has already started continues, and this loop requests the next replay later.
      if ([400, 401, 403, 404, 500].includes(statusOf(error))) addFailure(`replay: ${String(error)}`);
      return undefined;
    });
  const runToEnd = async (path: string, what: string, body?: unknown): Promise<ReplayResponse | undefined> => {
    const started = await startReplay(path, body);
    if (!started) return undefined;
    const poll = () =>
      requestOps<ReplayResponse>(access.service(), 'GET', `/replays/${started.id}`).catch(() => ({
        ...started,
        ended_at: null,
      }));
    const ended = await waitUntil(poll, ({ ended_at }) => ended_at !== null, replayTimeoutMs);
    if (ended.state !== 'done') addFailure(`${what} ${ended.state}: ${ended.error ?? 'without an error'}`);
    return ended.state === 'done' ? ended : undefined;
  };
  const replayOnce = async () => {
    const { name } = pick(allProjections);
    const verify = happens(0.6);
    const ended = await runToEnd(`/projections/${name}/replay`, `the replay of ${name}`, { verify });
    if (!ended) return;
    done.replayed += 1;
    if (verify && !ended.verified) addFailure(`the replay of ${name} was not verified`);
    if (verify) done.verified += 1;
    if (happens(0.3) && (await runToEnd(`/projections/${name}/rollback`, `the rollback of ${name}`)))
      done.rolledBack += 1;
  };
  const running = (async () => {
    const pause = () => sleep(everyMs / 2 + below(everyMs), true, { signal: end.signal }).catch(() => false);
    while (await pause()) await replayOnce().catch((error: unknown) => addFailure(`replay: ${String(error)}`));
  })();
  return {
    done,
    async stop() {
      end.abort();
      await running;
    },
  };
};
