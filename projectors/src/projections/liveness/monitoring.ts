import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { Records } from '@popsvc/platform/postgres';
import { type Log, type Registry, schedule } from '@popsvc/platform/runtime';
import type { Board } from '../../run/board.ts';
import { supervise } from '../../run/supervise.ts';
import { livenessMetrics } from './liveness-metrics.ts';
import { livenessMonitor, livenessName, livenessReads } from './monitor.ts';
import type { Finding } from './watched.ts';

/** Silence is found by time alone, and an outage of five minutes is not told an hour later. */
const eachMinute = '* * * * *';
const longestPauseMs = 5_000;

export interface MonitoringParts {
  readonly store: EventStore;
  readonly records: Records;
  readonly board: Board;
  readonly metrics: Registry;
  readonly log: Log;
  readonly owner: string;
  /** Cron expression of the sweeps; default each minute. */
  readonly sweeps?: string;
}

/** Runs the monitor of liveness and its sweeps for as long as the signal allows. */
export const monitoring = async (parts: MonitoringParts, signal: AbortSignal): Promise<void> => {
  const { board, metrics, log, sweeps = eachMinute } = parts;
  const which = { name: livenessName, generation: 1, reads: livenessReads, isNeeded: false } as const;
  const changes = livenessMetrics(metrics);
  const onRecorded = (findings: readonly Finding[]) => {
    for (const { change } of findings) changes.inc({ status: change.status });
  };
  const monitor = livenessMonitor({ ...parts, onRecorded });
  const sweeping = schedule('liveness', sweeps, () => monitor.sweep(), log);
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
