import { ProbeEmitted } from '@popsvc/contracts/events';
import type { LogEvent } from '@popsvc/platform/event-store';
import type { EventPublisher } from '@popsvc/platform/message-bus';
import { Counter, type Registry } from '@popsvc/platform/telemetry';
import { type FollowerDependencies, superviseFollower } from '../../engine/runner/log-follower.ts';
import { publishLog, relayedStreams, relayName } from './relay.ts';

export const createRelayMetrics = (metrics: Registry) =>
  new Counter({
    name: 'popsvc_relayed_events_total',
    help: 'Events of the log that NATS acknowledged, without probes.',
    registers: [metrics],
  });

export interface RelayDependencies extends FollowerDependencies {
  readonly feed: EventPublisher;
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
