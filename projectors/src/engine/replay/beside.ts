import type { LeaseKey, ReplayRecord } from '@popsvc/platform/postgres';
import { startShadowFollower } from './follow-closely.ts';
import { readLogIdentity } from '../another-log.ts';
import type { Projection } from '../projection.ts';
import { advanceGeneration } from './bring.ts';
import { RetryableReplayError } from './not-now.ts';
import type { ReplayDependencies } from './replay-parts.ts';
import type { ReplayReport } from './report.ts';
import type { PausedGeneration } from './standing-still.ts';

const everyMs = 200;
/** A log in which nothing happens moves nobody on. */
const closeUpMs = 10_000;

/** The generation that is built, right behind the live one. */
export interface ShadowBuild {
  /** Has it come close, and ready for what comes. */
  closeUp(): Promise<void>;
  /** Brings it to where the live one stands still. */
  bringTo(still: Pick<PausedGeneration, 'at' | 'by' | 'signal'>): Promise<void>;
  /** Nobody folds it any more. */
  end(): Promise<void>;
}

const liveStandsAt = async (
  { checkpoints, store }: ReplayDependencies,
  live: LeaseKey,
): Promise<bigint | undefined> => {
  const [{ position, logId }, here] = [await checkpoints.read(live), await readLogIdentity(store)];
  return logId === here.logId && position <= here.head ? position : undefined;
};

/**
 * Keeps what is built right behind the live one, and never ahead of it, from when it has caught up: so the live one stands still
 * only for the last few events. What is kept for a rollback somebody keeps up already.
 */
export const startShadowBuild = async (
  parts: ReplayDependencies,
  {
    replay: { kind, from, to: generation },
    projection,
  }: { readonly replay: ReplayRecord; readonly projection: Projection },
  { onProgress }: Pick<ReplayReport, 'onProgress'>,
  signal: AbortSignal,
): Promise<ShadowBuild> => {
  const live = { projection: projection.name, generation: from };
  const own = { projection: projection.name, generation };
  const following =
    kind === 'replay' ? await startShadowFollower(parts, { projection, generation }, onProgress, signal) : undefined;
  const raise = async () => {
    const at = await liveStandsAt(parts, live);
    if (at !== undefined) following?.raiseLimit(at);
  };
  const timer = setInterval(() => void raise().catch(() => undefined), everyMs);
  return {
    async closeUp() {
      const close = async () => {
        await following?.ready(signal);
        const at = await liveStandsAt(parts, live);
        const until = AbortSignal.any([signal, AbortSignal.timeout(closeUpMs)]);
        if (at !== undefined) await following?.reach(at, until);
      };
      await close().catch(() => signal.throwIfAborted());
    },
    async bringTo({ at, by, signal: until }) {
      if (following) {
        // Where the live one was put back to an older copy, it is not there again.
        if ((await parts.checkpoints.read(own)).position > at)
          throw new RetryableReplayError('the live generation fell behind');
        // By its lease it stands wherever nobody looked for events; else the one that had it look is the next.
        if ('heldAt' in by && (await following.reach(at, until))) return;
        await following.end();
      }
      await advanceGeneration(parts, { projection, generation, upTo: at }, onProgress, until);
    },
    async end() {
      clearInterval(timer);
      await following?.end();
    },
  };
};
