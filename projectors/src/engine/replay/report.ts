import {
  type ReplayCoordination,
  findReplay,
  updateReplay,
  type Postgres,
  type ReplayUpdate,
  type ReplayStep,
} from '@popsvc/platform/postgres';
import { LeaseLost } from '../run-ended.ts';
import type { BuildProgress } from './build-generation.ts';
import { ReplayCancelled } from './errors.ts';

const everyMs = 1_000;

export interface ReplayReport {
  readonly onProgress: (progress: BuildProgress) => void;
  readonly onStep: (step: ReplayStep) => void;
  readonly onTarget: (target: bigint) => void;
  /** Also writes all progress that is not written yet. Throws `LeaseLost` if the replay has ended or another process runs it. */
  write(change: ReplayUpdate): Promise<void>;
  /** Returns whether `onProgress` was called since the last call of `hasProgressed`. */
  hasProgressed(): boolean;
  /** Aborts with `ReplayCancelled` if an operator cancelled the replay, and with `LeaseLost` if another process runs it. */
  readonly signal: AbortSignal;
  end(): void;
}

export const startReplayReport = (postgres: Postgres, coordination: ReplayCoordination): ReplayReport => {
  const aborter = new AbortController();
  let pending: ReplayUpdate = {};
  let moved = false;

  const note = async (change: ReplayUpdate) => {
    const written = pending;
    pending = {};
    try {
      if (await updateReplay(postgres, coordination, { ...written, ...change })) return;
    } catch (error) {
      pending = { ...written, ...pending, events: (written.events ?? 0) + (pending.events ?? 0) };
      throw error;
    }
    const lost = new LeaseLost('another process runs the replay');
    aborter.abort(lost);
    throw lost;
  };

  const heartbeat = async () => {
    await note({});
    const now = await findReplay(postgres, coordination.id);
    if (now?.cancelRequestedAt) aborter.abort(new ReplayCancelled('the replay was cancelled'));
  };
  const timer = setInterval(() => void heartbeat().catch(() => undefined), everyMs);

  return {
    onProgress({ events, position, total }) {
      moved = true;
      pending = {
        ...pending,
        events: (pending.events ?? 0) + events,
        ...(position !== undefined && { position }),
        ...(total !== undefined && { total }),
      };
    },
    onStep: (step) => void (pending = { ...pending, step }),
    onTarget: (target) => void (pending = { ...pending, target }),
    write: note,
    hasProgressed() {
      const was = moved;
      moved = false;
      return was;
    },
    signal: aborter.signal,
    end: () => clearInterval(timer),
  };
};
