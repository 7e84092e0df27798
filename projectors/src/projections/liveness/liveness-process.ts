import { startSchedule } from '@popsvc/platform/runtime';
import { Counter, type Registry } from '@popsvc/platform/telemetry';
import { type FollowerDependencies, superviseFollower } from '../../engine/runner/log-follower.ts';
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

export interface LivenessProcessDependencies extends FollowerDependencies {
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
  try {
    await superviseFollower(
      { name: livenessName, streams: livenessStreams, follow: (onMoved) => monitor.follow(signal, onMoved) },
      dependencies,
      signal,
    );
  } finally {
    await sweepSchedule.stop();
  }
};
