import { SingleBar } from 'cli-progress';
import { remark } from '../cli/print.ts';
import { durationText } from '../outages/duration-text.ts';
import { progressText } from './replay-text.ts';
import type { ToldReplay } from './followed-replay.ts';

export interface ReplayProgress {
  readonly onProgress: (now: ToldReplay) => void;
  readonly stop: () => void;
}

const everyMs = 10_000;
const format = '{bar} {percentage}% | {state} | {value}/{total} events | {rate}/s | {left} left';

/** Lines on standard error: when something else is being done, and every ten seconds. */
const lines = (): ReplayProgress => {
  let [state, at] = ['', 0];
  return {
    onProgress(now) {
      if (now.ended_at !== null || (now.state === state && performance.now() - at < everyMs)) return;
      [state, at] = [now.state, performance.now()];
      remark(progressText(now));
    },
    stop: () => undefined,
  };
};

/** A bar on standard error; without a count of all events it shows how many there were. */
const bar = (): ReplayProgress => {
  const shown = new SingleBar({ format, stream: process.stderr, hideCursor: true, barsize: 24 });
  shown.start(1, 0, { state: 'planned', rate: 0, left: '?' });
  return {
    onProgress(now) {
      shown.setTotal(Math.max(now.total_events ?? now.events, now.events, 1));
      const left = now.seconds_left === null ? '?' : durationText(now.seconds_left);
      shown.update(now.events, { state: now.state.replace('_', ' '), rate: now.events_per_second, left });
    },
    stop: () => shown.stop(),
  };
};

export const replayProgress = (): ReplayProgress => (process.stderr.isTTY ? bar() : lines());
