import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { DemoCredentials } from '@popsvc/tools/rig';

/** Load per second. */
export interface Rate {
  readonly requests: number;
  /** In all of them. */
  readonly plays: number;
}

export interface TrickleOptions {
  readonly credentials: DemoCredentials;
  readonly rate: Rate;
  /** Start of the first play. */
  readonly fromMs: number;
}

export interface TrickleReport {
  /** Plays, from the beginning. */
  readonly sent: number;
  /** Number of retried requests, from the beginning. */
  readonly repeated: number;
  /** Duration of each request since the last report, ms. */
  readonly tookMs: readonly number[];
}

export interface Trickle {
  readonly report: () => Promise<TrickleReport>;
  readonly stop: () => Promise<TrickleReport>;
}

/** Sends at a rate from a separate thread, so that parsing in this thread does not distort the durations. */
export const startTrickle = (options: TrickleOptions): Trickle => {
  const thread = new Worker(new URL('trickle-thread.fixture.js', import.meta.url), { workerData: options });
  const ask = async (what: 'report' | 'stop'): Promise<TrickleReport> => {
    const answer = once(thread, 'message');
    thread.postMessage(what);
    return ((await answer) as [TrickleReport])[0];
  };
  let stopped: Promise<TrickleReport> | undefined;
  return {
    report: () => ask('report'),
    stop: () => (stopped ??= ask('stop')),
  };
};
