import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { Postgres } from '@popsvc/platform/postgres';
import { startSchedule } from '@popsvc/platform/runtime';
import { Counter, type Log, type Registry } from '@popsvc/platform/telemetry';
import type { StatusRegistry } from '../../engine/projection-status.ts';
import { superviseFollower } from '../../engine/runner/log-follower.ts';
import type { UnrecordedChange } from './liveness-tracker.ts';
import { createLivenessMonitor, livenessName, livenessStreams } from './monitor.ts';

/** How often to look for silent devices and feeders: an outage is recorded at most one minute after it can be detected. */
const eachMinute = '* * * * *';

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
  const { metrics, log, sweeps = eachMinute } = dependencies;
  const recordedChanges = createLivenessMetrics(metrics);
  const onRecorded = (changes: readonly UnrecordedChange[]) => {
    for (const { change } of changes) recordedChanges.inc({ status: change.status });
  };
  const monitor = createLivenessMonitor({ ...dependencies, onRecorded });
  const sweepSchedule = startSchedule('liveness', sweeps, () => monitor.sweep(), log);
  const follow = (onMoved: (events: readonly LogEvent[]) => void) => monitor.follow(signal, onMoved);
  try {
    await superviseFollower({ name: livenessName, streams: livenessStreams, follow }, dependencies, signal);
  } finally {
    await sweepSchedule.stop();
  }
};
