import type { LogEvent } from '@popsvc/platform/event-store';
import { pruneWebhooks } from '@popsvc/platform/postgres';
import { createSignal, startSchedule } from '@popsvc/platform/runtime';
import { type FollowerDependencies, superviseFollower } from '../engine/runner/log-follower.ts';
import { createDeliveryMetrics, type DeliveriesDependencies, runDeliveries } from './deliver.ts';
import { followNotices, webhooksName, webhookStreams } from './fan-out.ts';

const eachHour = '41 * * * *';

export type WebhookProcessDependencies = FollowerDependencies & Omit<DeliveriesDependencies, 'onAttempt'>;

/** Delivers notices to subscribers until the signal aborts. One process reads the log; all processes post. */
export const runWebhooks = async (dependencies: WebhookProcessDependencies, signal: AbortSignal): Promise<void> => {
  const { postgres, metrics, log } = dependencies;
  const attempts = createDeliveryMetrics(metrics);
  const added = createSignal(signal);
  const pruning = startSchedule('webhooks', eachHour, () => pruneWebhooks(postgres), log);
  const follow = (onMoved: (events: readonly LogEvent[]) => void) =>
    followNotices({ ...dependencies, onAdded: () => added.notify(), onMoved }, signal);
  try {
    await Promise.all([
      superviseFollower({ name: webhooksName, streams: webhookStreams, follow }, dependencies, signal),
      runDeliveries({ ...dependencies, onAttempt: (outcome) => attempts.inc({ outcome }) }, added, signal),
    ]);
  } finally {
    await pruning.stop();
  }
};
