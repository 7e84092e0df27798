import { ProbeEmitted, streamPrefixes } from '@popsvc/contracts/events';
import {
  type EventPublisher,
  subscribeWithLease,
  type LeasedSubscriptionDependencies,
  LeaseHeldElsewhere,
} from '@popsvc/platform/message-bus';
import type { LogEvent } from '@popsvc/platform/event-store';
import { LeaseLost } from '../../engine/final.ts';

/** What the relay is called where projections are listed; under this name its lease is held and its position kept. */
export const relayName = 'relay';

/** All of ours. Probes are not published: they move the position on, and show how fresh it is, where little happens. */
export const relayedStreams: readonly string[] = Object.values(streamPrefixes);

const [maxEvents, maxWaitMs] = [500, 20];

export interface PublishLogDependencies extends LeasedSubscriptionDependencies {
  readonly feed: EventPublisher;
  readonly onMoved?: (events: readonly LogEvent[]) => void;
}

/**
 * Publishes the log, from where it stopped, in one process at a time, until the signal. The position moves when the server has
 * acknowledged; what was published after it is published again, under the same ids.
 */
export const publishLog = async (
  { feed, onMoved, ...parts }: PublishLogDependencies,
  signal: AbortSignal,
): Promise<void> => {
  const handle = (events: readonly LogEvent[]) => feed.publish(events.filter(({ type }) => type !== ProbeEmitted.type));
  const task = { name: relayName, prefixes: relayedStreams, maxEvents, maxWaitMs, handle, ...(onMoved && { onMoved }) };
  try {
    await subscribeWithLease(parts, task, signal);
  } catch (error) {
    throw error instanceof LeaseHeldElsewhere ? new LeaseLost(error.message) : error;
  }
};
