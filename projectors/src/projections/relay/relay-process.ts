import { ProbeEmitted } from '@popsvc/contracts/events';
import type { EventStore, LogEvent } from '@popsvc/platform/event-store';
import type { EventPublisher } from '@popsvc/platform/message-bus';
import type { Postgres } from '@popsvc/platform/postgres';
import { Counter, type Log, type Registry } from '@popsvc/platform/telemetry';
import type { StatusRegistry } from '../../engine/projection-status.ts';
import { superviseFollower } from '../../engine/runner/log-follower.ts';
import { publishLog, relayedStreams, relayName } from './relay.ts';

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
  const publishedEvents = createRelayMetrics(dependencies.metrics);
  const follow = (onMoved: (events: readonly LogEvent[]) => void) =>
    publishLog(
      {
        ...dependencies,
        onMoved(events) {
          onMoved(events);
          publishedEvents.inc(events.filter(({ type }) => type !== ProbeEmitted.type).length);
        },
      },
      signal,
    );
  return superviseFollower({ name: relayName, streams: relayedStreams, follow }, dependencies, signal);
};
