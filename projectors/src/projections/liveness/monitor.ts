import { formatItemId, streamPrefixes } from '@popsvc/contracts/events';
import { promptAppendMs } from '@popsvc/domain/status';
import type { LogEvent } from '@popsvc/platform/event-store';
import { subscribeWithLease } from '@popsvc/platform/message-bus';
import { type Postgres, readLivenessStates, saveLivenessStates } from '@popsvc/platform/postgres';
import { startSchedule, systemClock } from '@popsvc/platform/runtime';
import { Counter, type Registry } from '@popsvc/platform/telemetry';
import pLimit from 'p-limit';
import { type LogItem, splitEvent } from '../../engine/log-items.ts';
import {
  type FollowerDependencies,
  type MonitorDependencies,
  superviseFollower,
} from '../../engine/runner/log-follower.ts';
import { createLivenessTracker, type LivenessTracker, type UnrecordedChange } from './liveness-tracker.ts';
import { recordChanges, type RecordChangesDependencies } from './record-changes.ts';

export const livenessName = 'liveness';

/** Includes the liveness streams that the monitor writes, because another process may have appended to them. */
export const livenessStreams: readonly string[] = [
  streamPrefixes.heartbeat,
  streamPrefixes.liveness,
  streamPrefixes.probe,
];

const maxEvents = 2_000;
const sweepSliceSize = 500;
/**
 * If the newest applied probe is older, the monitor may be behind the log, and a missing heartbeat does not prove that a device is silent.
 */
const staleMs = 60_000;

export type LivenessMonitorDependencies = MonitorDependencies & Pick<RecordChangesDependencies, 'onRecorded'>;

export interface LivenessMonitor {
  /** Throws if it cannot continue, for example `LeaseHeldElsewhere`; it can then be called again. */
  follow(signal: AbortSignal, onMoved?: (events: readonly LogEvent[]) => void): Promise<void>;
  /** Returns the number of subjects found offline; 0 while this process does not hold the lease or is behind the log. */
  sweep(): Promise<number>;
}

const restoreTracker = async (postgres: Postgres): Promise<LivenessTracker> => {
  const tracker = createLivenessTracker();
  for await (const state of readLivenessStates(postgres)) tracker.restore(state);
  return tracker;
};

/** Appends each change to the log before the transaction that moves the position saves the new state. */
export const createLivenessMonitor = ({
  log,
  clock = systemClock,
  ageMs = 500,
  onRecorded,
  ...dependencies
}: LivenessMonitorDependencies): LivenessMonitor => {
  const recording: RecordChangesDependencies = { store: dependencies.store, clock, onRecorded };
  /** Batches of events and sweeps change the same state in memory, so only one of them runs at a time. */
  const runExclusively = pLimit(1);
  let current: LivenessTracker | undefined;

  const applyItem = (tracker: LivenessTracker, item: LogItem) => {
    try {
      tracker.apply(item);
    } catch (err) {
      const { stream, type, sequence } = item;
      log.warn({ err, stream, type, position: formatItemId(sequence) }, 'liveness monitor skipped an unreadable event');
    }
  };

  const handle = (events: readonly LogEvent[]) =>
    runExclusively(async () => {
      // Until this process has taken the lease, the former holder may write the states.
      const tracker = (current ??= await restoreTracker(dependencies.postgres));
      for (const event of events) for (const item of splitEvent(event)) applyItem(tracker, item);
      await recordChanges(recording, tracker.withUnrecordedChanges());
    });

  return {
    async follow(signal, onMoved) {
      current = undefined;
      try {
        await subscribeWithLease(
          dependencies,
          {
            name: livenessName,
            prefixes: livenessStreams,
            maxEvents,
            maxWaitMs: ageMs,
            handle,
            inTransaction: (client) => saveLivenessStates(client, current?.takeRecordedStates() ?? []),
            ...(onMoved && { onMoved }),
          },
          signal,
        );
      } finally {
        current = undefined;
      }
    },
    async sweep() {
      let offline = 0;
      for (;;) {
        const sliceSize = await runExclusively(async () => {
          const tracker = current;
          const nowMs = clock.now();
          if (!tracker || nowMs - tracker.logClockMs > staleMs) return 0;
          const silentUntilMs = Math.min(tracker.logClockMs, nowMs) - promptAppendMs;
          const silent = tracker.detectSilent(silentUntilMs, sweepSliceSize);
          await recordChanges(recording, silent);
          return silent.length;
        });
        offline += sliceSize;
        if (sliceSize < sweepSliceSize) return offline;
      }
    },
  };
};

const eachMinute = '* * * * *';

export const createLivenessMetrics = (metrics: Registry) =>
  new Counter({
    name: 'popsvc_liveness_changes_total',
    help: 'Recorded changes of devices and feeders to online or offline.',
    labelNames: ['status'] as const,
    registers: [metrics],
  });

interface LivenessProcessDependencies extends FollowerDependencies {
  /** Cron expression of the searches for silent devices and feeders; default: each minute. */
  readonly sweeps?: string;
}

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
