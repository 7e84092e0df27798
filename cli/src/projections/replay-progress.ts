import { SingleBar } from 'cli-progress';
import { printNote } from '../output/print.ts';
import { describePhase, formatProgress, type Replay } from './replay-texts.ts';

export interface ReplayProgress {
  readonly update: (replay: Replay) => void;
  readonly stop: () => void;
}

const lineIntervalMs = 10_000;
const barFormat = '{bar} {percentage}% | {name} | {value}/{total} {unit}{pace}';

const createLineProgress = (): ReplayProgress => {
  let currentPhase = '';
  let printedAt = 0;
  return {
    update(replay) {
      const { name } = describePhase(replay);
      const isDue = name !== currentPhase || performance.now() - printedAt >= lineIntervalMs;
      if (replay.ended_at !== null || !isDue) return;
      currentPhase = name;
      printedAt = performance.now();
      printNote(formatProgress(replay));
    },
    stop: () => undefined,
  };
};

const createBarProgress = (): ReplayProgress => {
  let bar: SingleBar | undefined;
  let currentPhase = '';
  const stop = () => {
    bar?.stop();
    bar = undefined;
  };
  return {
    update(replay) {
      if (replay.ended_at !== null) return;
      const { done, total, ...payload } = describePhase(replay);
      if (payload.name !== currentPhase || !bar) {
        stop();
        currentPhase = payload.name;
        // With gracefulExit, the progress bar would handle SIGINT itself, and Ctrl-C would not end the command.
        const options = { format: barFormat, hideCursor: true, barsize: 24, gracefulExit: false };
        bar = new SingleBar({ ...options, stream: process.stderr });
        bar.start(Math.max(total, 1), done, payload);
      }
      bar.setTotal(Math.max(total, 1));
      bar.update(done, payload);
    },
    stop,
  };
};

export const createReplayProgress = (): ReplayProgress =>
  process.stderr.isTTY ? createBarProgress() : createLineProgress();
