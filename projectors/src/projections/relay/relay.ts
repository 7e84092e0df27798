import { ProbeEmitted, streamPrefixes } from '@popsvc/contracts/events';
import type { LogEvent } from '@popsvc/platform/event-store';
import {
  type EventPublisher,
  type LeasedSubscriptionDependencies,
  subscribeWithLease,
} from '@popsvc/platform/message-bus';
import { Counter, type Registry } from '@popsvc/platform/telemetry';
import { type FollowerDependencies, superviseFollower } from '../../engine/runner/log-follower.ts';

export const relayName = 'relay';

/** Probes are read but not published: they advance the relay's position while there are no other events. */
export const relayedStreams: readonly string[] = Object.values(streamPrefixes);

const [maxEvents, maxWaitMs] = [500, 20];

interface PublishLogDependencies extends LeasedSubscriptionDependencies {
  readonly feed: EventPublisher;
  /** Called with events after the stored position has moved past them. */
  readonly onMoved?: (events: readonly LogEvent[]) => void;
}

/**
 * After a crash, the events of the last batch may be published again, with the same message ids. Throws `LeaseHeldElsewhere` if another
 * process holds the lease.
 */
export const publishLog = async (
  { feed, onMoved, ...dependencies }: PublishLogDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const handle = (events: readonly LogEvent[]) => feed.publish(events.filter(({ type }) => type !== ProbeEmitted.type));
  const task = { name: relayName, prefixes: relayedStreams, maxEvents, maxWaitMs, handle, ...(onMoved && { onMoved }) };
  await subscribeWithLease(dependencies, task, signal);
};

export const createRelayMetrics = (metrics: Registry) =>
  new Counter({
    name: 'popsvc_relayed_events_total',
    help: 'Events of the log that NATS acknowledged, without probes.',
    registers: [metrics],
  });

interface RelayDependencies extends FollowerDependencies {
  readonly feed: EventPublisher;
}

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
