import { SingleBar } from 'cli-progress';
import { remark } from '../program/print.ts';
import { progressText } from './replay-text.ts';
import type { ToldReplay } from './followed-replay.ts';
import { phaseOf } from './replay-phase.ts';

export interface ReplayProgress {
  readonly onProgress: (now: ToldReplay) => void;
  readonly stop: () => void;
}

const everyMs = 10_000;
const format = '{bar} {percentage}% | {name} | {value}/{total} {unit}{pace}';

/** Lines on standard error: when something else is being done, and every ten seconds. */
const lines = (): ReplayProgress => {
  let [doing, at] = ['', 0];
  return {
    onProgress(now) {
      const { name } = phaseOf(now);
      if (now.ended_at !== null || (name === doing && performance.now() - at < everyMs)) return;
      [doing, at] = [name, performance.now()];
      remark(progressText(now));
    },
    stop: () => undefined,
  };
};

/** A bar on standard error for each thing that is done; those that are over stay above it. */
const bars = (): ReplayProgress => {
  let shown: SingleBar | undefined;
  let doing = '';
  const stop = () => {
    shown?.stop();
    shown = undefined;
  };
  return {
    onProgress(now) {
      const { done, of, ...payload } = phaseOf(now);
      if (now.ended_at !== null) return;
      if (payload.name !== doing || !shown) {
        stop();
        doing = payload.name;
        // Ctrl-C is ours to hear: the bar would swallow it.
        shown = new SingleBar({ format, stream: process.stderr, hideCursor: true, barsize: 24, gracefulExit: false });
        shown.start(Math.max(of, 1), done, payload);
      }
      shown.setTotal(Math.max(of, 1));
      shown.update(done, payload);
    },
    stop,
  };
};

export const replayProgress = (): ReplayProgress => (process.stderr.isTTY ? bars() : lines());
