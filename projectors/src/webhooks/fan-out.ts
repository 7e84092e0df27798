import { NoticeIssued, streamPrefixes } from '@popsvc/contracts/events';
import { vendorOfNotice } from '@popsvc/domain/notices';
import type { LogEvent } from '@popsvc/platform/event-store';
import { type LeasedSubscriptionDependencies, subscribeWithLease } from '@popsvc/platform/message-bus';
import { insertDeliveries, type NewDelivery } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import { readEvent } from '../engine/log-items.ts';

/** Name under which the lease and the position are stored, as if it were a projection. */
export const webhooksName = 'webhooks';

/** Probes are read, because they advance the position while there are no notices. */
export const webhookStreams: readonly string[] = [streamPrefixes.notice, streamPrefixes.probe];

export interface FanOutDependencies extends LeasedSubscriptionDependencies {
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

/**
 * Adds a delivery for each notice of the log and each subscription to it, until the signal aborts. The deliveries are added in the
 * transaction that moves the position, so that none is lost or added twice.
 */
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
