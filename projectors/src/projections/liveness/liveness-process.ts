import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { Postgres } from '@popsvc/platform/postgres';
import { startSchedule } from '@popsvc/platform/runtime';
import { Counter, type Log, type Registry } from '@popsvc/platform/telemetry';
import type { StatusRegistry } from '../../engine/projection-status.ts';
import { superviseRuns } from '../../engine/runner/supervisor.ts';
import type { UnrecordedChange } from './liveness-tracker.ts';
import { createLivenessMonitor, livenessName, livenessStreams } from './monitor.ts';

/** How often to look for silent devices and feeders: an outage is recorded at most one minute after it can be detected. */
const eachMinute = '* * * * *';
const longestPauseMs = 5_000;

export const createLivenessMetrics = (metrics: Registry) =>
  new Counter({
    name: 'popsvc_liveness_changes_total',
    help: 'Recorded changes of devices and feeders to online or offline.',
    labelNames: ['status'] as const,
    registers: [metrics],
  });

export interface LivenessProcessDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly statusRegistry: StatusRegistry;
  readonly metrics: Registry;
  readonly log: Log;
  readonly owner: string;
  /** Cron expression of the sweeps for silent devices and feeders; default: each minute. */
  readonly sweeps?: string;
}

/** Runs the liveness monitor and its sweeps until the signal aborts, and restarts the monitor after a failure. */
export const runLivenessMonitor = async (
  dependencies: LivenessProcessDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const { statusRegistry, metrics, log, sweeps = eachMinute } = dependencies;
  const projection = { name: livenessName, generation: 1, streams: livenessStreams, isNeeded: false } as const;
  const recordedChanges = createLivenessMetrics(metrics);
  const onRecorded = (changes: readonly UnrecordedChange[]) => {
    for (const { change } of changes) recordedChanges.inc({ status: change.status });
  };
  const monitor = createLivenessMonitor({ ...dependencies, onRecorded });
  const sweepSchedule = startSchedule('liveness', sweeps, () => monitor.sweep(), log);
  const followUntilFailure = (onProgress: () => void) =>
    monitor.follow(signal, (events: readonly LogEvent[]) => {
      onProgress();
      const newest = events.at(-1)!;
      statusRegistry.recordBatch(projection, { upTo: newest.position, asOfMs: newest.recordedAtMs });
    });
  statusRegistry.register(projection);
  try {
    await superviseRuns(
      {
        name: livenessName,
        log,
        setRunState: (runState) => statusRegistry.setRunState(projection, runState),
        longestPauseMs,
      },
      followUntilFailure,
      signal,
    );
  } finally {
    await sweepSchedule.stop();
  }
};
