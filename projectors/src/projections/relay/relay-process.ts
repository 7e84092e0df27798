import { ProbeEmitted } from '@popsvc/contracts/events';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { EventPublisher } from '@popsvc/platform/message-bus';
import type { Postgres } from '@popsvc/platform/postgres';
import { Counter, type Log, type Registry } from '@popsvc/platform/telemetry';
import type { StatusRegistry } from '../../engine/projection-status.ts';
import { superviseRuns } from '../../engine/runner/supervisor.ts';
import { publishLog, relayedStreams, relayName } from './relay.ts';

/** Maximum pause after a failure, in ms. Short, because subscribers wait for the events. */
const longestPauseMs = 5_000;

export const createRelayMetrics = (metrics: Registry) =>
  new Counter({
    name: 'popsvc_relayed_events_total',
    help: 'Events of the log that the message bus acknowledged, without probes.',
    registers: [metrics],
  });

export interface RelayDependencies {
  readonly store: EventStore;
  readonly postgres: Postgres;
  readonly feed: EventPublisher;
  readonly statusRegistry: StatusRegistry;
  readonly metrics: Registry;
  readonly log: Log;
  readonly owner: string;
}

/**
 * Runs the relay until the signal aborts and restarts it after a failure. Reports the relay's status as if it were a
 * projection.
 */
export const runRelay = (dependencies: RelayDependencies, signal: AbortSignal): Promise<void> => {
  const { statusRegistry, metrics, log } = dependencies;
  const projection = { name: relayName, generation: 1, streams: relayedStreams, isNeeded: false } as const;
  const publishedEvents = createRelayMetrics(metrics);
  const recordProgress = (events: readonly LogEvent[]) => {
    const newest = events.at(-1)!;
    statusRegistry.recordBatch(projection, { upTo: newest.position, asOfMs: newest.recordedAtMs });
    publishedEvents.inc(events.filter(({ type }) => type !== ProbeEmitted.type).length);
  };
  const publishUntilFailure = (onProgress: () => void) => {
    const onMoved = (events: readonly LogEvent[]) => {
      onProgress();
      recordProgress(events);
    };
    return publishLog({ ...dependencies, onMoved }, signal);
  };
  statusRegistry.register(projection);
  return superviseRuns(
    {
      name: relayName,
      log,
      setRunState: (runState) => statusRegistry.setRunState(projection, runState),
      longestPauseMs,
    },
    publishUntilFailure,
    signal,
  );
};
