import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { Postgres } from '@popsvc/platform/postgres';
import { startSchedule } from '@popsvc/platform/runtime';
import { type Log, type Registry } from '@popsvc/platform/telemetry';
import type { Board } from '../../engine/board.ts';
import { supervise } from '../../engine/runner/supervise.ts';
import { createLivenessMetrics } from './liveness-metrics.ts';
import { createLivenessMonitor, livenessName, livenessStreams } from './monitor.ts';
import type { Finding } from './watched.ts';

/** Silence is found by time alone, and an outage of five minutes is not told an hour later. */
const eachMinute = '* * * * *';
const longestPauseMs = 5_000;

export interface LivenessProcessDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly board: Board;
  readonly metrics: Registry;
  readonly log: Log;
  readonly owner: string;
  /** Cron expression of the sweeps; default each minute. */
  readonly sweeps?: string;
}

/** Runs the monitor of liveness and its sweeps for as long as the signal allows. */
export const runLivenessMonitor = async (parts: LivenessProcessDependencies, signal: AbortSignal): Promise<void> => {
  const { board, metrics, log, sweeps = eachMinute } = parts;
  const which = { name: livenessName, generation: 1, reads: livenessStreams, isNeeded: false } as const;
  const changes = createLivenessMetrics(metrics);
  const onRecorded = (findings: readonly Finding[]) => {
    for (const { change } of findings) changes.inc({ status: change.status });
  };
  const monitor = createLivenessMonitor({ ...parts, onRecorded });
  const sweeping = startSchedule('liveness', sweeps, () => monitor.sweep(), log);
  const incarnation = (onProgress: () => void) =>
    monitor.follow(signal, (events: readonly LogEvent[]) => {
      onProgress();
      const newest = events.at(-1)!;
      board.record(which, { upTo: newest.position, asOfMs: newest.recordedAtMs });
    });
  try {
    await supervise({ name: livenessName, log, state: board.list(which), longestPauseMs }, incarnation, signal);
  } finally {
    await sweeping.stop();
  }
};
