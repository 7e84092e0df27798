import { NoticeIssued, streamPrefixes } from '@popsvc/contracts/events';
import { vendorOfNotice } from '@popsvc/domain/notices';
import type { LogEvent } from '@popsvc/platform/event-store';
import { type LeasedSubscriptionDependencies, subscribeWithLease } from '@popsvc/platform/message-bus';
import { insertDeliveries, type NewDelivery, pruneWebhooks } from '@popsvc/platform/postgres';
import { createSignal, startSchedule } from '@popsvc/platform/runtime';
import type { Log } from '@popsvc/platform/telemetry';
import { readEvent } from '../engine/log-items.ts';
import { type FollowerDependencies, superviseFollower } from '../engine/runner/log-follower.ts';
import { createDeliveryMetrics, type DeliveriesDependencies, runDeliveries } from './deliver.ts';

export const webhooksName = 'webhooks';

/** Includes probes, because they advance the position while there are no notices. */
export const webhookStreams: readonly string[] = [streamPrefixes.notice, streamPrefixes.probe];

interface FanOutDependencies extends LeasedSubscriptionDependencies {
  readonly log: Log;
  readonly onAdded?: () => void;
  readonly onMoved?: (events: readonly LogEvent[]) => void;
}

const toDelivery = (event: LogEvent, log: Log): readonly NewDelivery[] => {
  if (event.type !== NoticeIssued.type) return [];
  try {
    const { notice } = readEvent(event) as NoticeIssued;
    const { type, data } = notice;
    return [
      {
        noticeId: event.id,
        network: data.network_id,
        vendor: vendorOfNotice(notice) ?? null,
        type,
        payload: JSON.stringify(notice),
      },
    ];
  } catch (err) {
    const { stream, position } = event;
    log.error({ err, stream, position: String(position) }, 'failed to read a notice; it is not delivered');
    return [];
  }
};

/** The transaction that adds deliveries also moves the position, so no delivery is lost or added twice. */
export const followNotices = async (
  { log, onAdded, onMoved, ...dependencies }: FanOutDependencies,
  signal: AbortSignal,
): Promise<void> => {
  await subscribeWithLease(
    dependencies,
    {
      name: webhooksName,
      prefixes: webhookStreams,
      maxEvents: 500,
      maxWaitMs: 100,
      async inTransaction(client, events) {
        await insertDeliveries(
          client,
          events.flatMap((event) => toDelivery(event, log)),
        );
      },
      onMoved(events) {
        onAdded?.();
        onMoved?.(events);
      },
    },
    signal,
  );
};

const eachHour = '41 * * * *';

type WebhookProcessDependencies = FollowerDependencies & Omit<DeliveriesDependencies, 'onAttempt'>;

/** One process reads the log; all processes post. */
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
