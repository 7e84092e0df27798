import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { DemoCredentials } from '@popsvc/tools/rig';

/** What comes in a second. */
export interface Rate {
  readonly requests: number;
  /** In all of them. */
  readonly plays: number;
}

export interface Trickled {
  readonly credentials: DemoCredentials;
  readonly rate: Rate;
  /** When the first was played. */
  readonly fromMs: number;
}

export interface Told {
  /** Plays, from the beginning. */
  readonly sent: number;
  /** How many requests had to be sent again, from the beginning. */
  readonly repeated: number;
  /** How long each request took since it was asked last, ms. */
  readonly tookMs: readonly number[];
}

export interface Trickle {
  readonly told: () => Promise<Told>;
  readonly stop: () => Promise<Told>;
}

/** Sends at a rate from a thread of its own: requests are timed there, and whoever reads meanwhile may be busy with what it has read. */
export const trickle = (trickled: Trickled): Trickle => {
  const thread = new Worker(new URL('trickle-thread.fixture.js', import.meta.url), { workerData: trickled });
  const ask = async (what: 'told' | 'stop'): Promise<Told> => {
    const answer = once(thread, 'message');
    thread.postMessage(what);
    return ((await answer) as [Told])[0];
  };
  let stopped: Promise<Told> | undefined;
  return {
    told: () => ask('told'),
    stop: () => (stopped ??= ask('stop')),
  };
};
