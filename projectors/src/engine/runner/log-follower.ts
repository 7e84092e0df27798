import type { LogEvent } from '@popsvc/platform/event-store';
import type { LeasedSubscriptionDependencies } from '@popsvc/platform/message-bus';
import type { Clock } from '@popsvc/platform/runtime';
import type { Log, Registry } from '@popsvc/platform/telemetry';
import type { LogFollowerName, StatusRegistry } from '../projection-status.ts';
import { superviseRuns } from './supervisor.ts';

interface LogFollower {
  readonly name: LogFollowerName;
  readonly streams: readonly string[];
  /** Calls `onMoved` with events after the stored position has moved past them. */
  readonly follow: (onMoved: (events: readonly LogEvent[]) => void) => Promise<void>;
}

export interface FollowerDependencies extends LeasedSubscriptionDependencies {
  readonly statusRegistry: StatusRegistry;
  readonly metrics: Registry;
  readonly log: Log;
}

export interface MonitorDependencies extends LeasedSubscriptionDependencies {
  readonly log: Log;
  readonly clock?: Clock;
  /** How long a batch waits for more events after its first one; default 500. */
  readonly ageMs?: number;
}

/** Short, because subscribers wait for the events. */
const longestPauseMs = 5_000;

export const superviseFollower = (
  { name, streams, follow }: LogFollower,
  { statusRegistry, log }: Pick<FollowerDependencies, 'statusRegistry' | 'log'>,
  signal: AbortSignal,
): Promise<void> => {
  const projection = { name, generation: 1, streams, isNeeded: false } as const;
  statusRegistry.register(projection);
  return superviseRuns(
    { name, log, setRunState: (runState) => statusRegistry.setRunState(projection, runState), longestPauseMs },
    (onProgress) =>
      follow((events) => {
        onProgress();
        const newest = events.at(-1)!;
        statusRegistry.recordBatch(projection, { upTo: newest.position, asOfMs: newest.recordedAtMs });
      }),
    signal,
  );
};
