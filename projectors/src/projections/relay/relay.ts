import { ProbeEmitted, streamPrefixes } from '@popsvc/contracts/events';
import type { LogEvent } from '@popsvc/platform/event-store';
import {
  type EventPublisher,
  type LeasedSubscriptionDependencies,
  LeaseHeldElsewhere,
  subscribeWithLease,
} from '@popsvc/platform/message-bus';
import { LeaseLost } from '../../engine/run-ended.ts';

/** The relay's name among the projections; its lease and its position are stored under it. */
export const relayName = 'relay';

/** The relay reads all streams. It does not publish probes, but they advance its position, which shows its lag on an idle log. */
export const relayedStreams: readonly string[] = Object.values(streamPrefixes);

const [maxEvents, maxWaitMs] = [500, 20];

export interface PublishLogDependencies extends LeasedSubscriptionDependencies {
  readonly feed: EventPublisher;
  /** Runs after the position moved past these events. */
  readonly onMoved?: (events: readonly LogEvent[]) => void;
}

/**
 * Publishes the log to the message bus from the stored position on, until the signal aborts. A lease keeps it to one process at a
 * time. The position moves after the bus acknowledged a batch; after a crash the unacknowledged events are published again under
 * the same message ids. Throws `LeaseLost` when another process holds the lease.
 */
export const publishLog = async (
  { feed, onMoved, ...dependencies }: PublishLogDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const handle = (events: readonly LogEvent[]) => feed.publish(events.filter(({ type }) => type !== ProbeEmitted.type));
  const task = { name: relayName, prefixes: relayedStreams, maxEvents, maxWaitMs, handle, ...(onMoved && { onMoved }) };
  try {
    await subscribeWithLease(dependencies, task, signal);
  } catch (error) {
    throw error instanceof LeaseHeldElsewhere ? new LeaseLost(error.message) : error;
  }
};
