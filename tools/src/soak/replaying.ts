import { setTimeout as sleep } from 'node:timers/promises';
import { allProjections } from '@popsvc/projectors/projections';
import type { Chance } from '../rig/chance.ts';
import { waitUntil } from '../rig/partner.ts';
import { type Access, askOps, statusOf } from './access.ts';

interface ToldReplay {
  readonly id: number;
  readonly state: string;
  readonly verified: boolean;
  readonly error: string | null;
  readonly ended_at: string | null;
}

export interface Replays {
  /** What was done, by kind. */
  readonly done: Readonly<Record<'replayed' | 'verified' | 'rolledBack', number>>;
  stop(): Promise<void>;
}

/** A replay waits for what is live, which waits for stores that are killed again and again. */
const patienceMs = 45 * 60_000;

/** The operator asks for replays now and then, through kills, and for some of them to be taken back. */
export const startReplays = (
  access: Access,
  { below, next, one }: Chance,
  everyMs: number,
  complain: (text: string) => void,
): Replays => {
  const done = { replayed: 0, verified: 0, rolledBack: 0 };
  const end = new AbortController();
  const asked = async (path: string, body?: unknown): Promise<ToldReplay | undefined> =>
    askOps<ToldReplay>(access.service(), 'POST', path, body).catch((error: unknown) => {
      // Whoever is away now is asked for another one later; what was asked for goes on by itself.
      if ([400, 401, 403, 404, 500].includes(statusOf(error))) complain(`replay: ${String(error)}`);
      return undefined;
    });
  const toItsEnd = async (path: string, what: string, body?: unknown): Promise<ToldReplay | undefined> => {
    const started = await asked(path, body);
    if (!started) return undefined;
    const look = () =>
      askOps<ToldReplay>(access.service(), 'GET', `/replays/${started.id}`).catch(() => ({
        ...started,
        ended_at: null,
      }));
    const ended = await waitUntil(look, ({ ended_at }) => ended_at !== null, patienceMs);
    if (ended.state !== 'done') complain(`${what} ${ended.state}: ${ended.error ?? 'nobody says why'}`);
    return ended.state === 'done' ? ended : undefined;
  };
  const once = async () => {
    const { name } = one(allProjections);
    const verify = next() < 0.6;
    const ended = await toItsEnd(`/projections/${name}/replay`, `the replay of ${name}`, { verify });
    if (!ended) return;
    done.replayed += 1;
    if (verify && !ended.verified) complain(`the replay of ${name} was not verified`);
    if (verify) done.verified += 1;
    if (next() < 0.3 && (await toItsEnd(`/projections/${name}/rollback`, `the rollback of ${name}`)))
      done.rolledBack += 1;
  };
  const asking = (async () => {
    const pause = () => sleep(everyMs / 2 + below(everyMs), true, { signal: end.signal }).catch(() => false);
    while (await pause()) await once().catch((error: unknown) => complain(`replay: ${String(error)}`));
  })();
  return {
    done,
    async stop() {
      end.abort();
      await asking;
    },
  };
};
