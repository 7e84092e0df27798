import { maxDeliveryAttempts } from '@popsvc/contracts/webhooks';
import {
  type ClaimedDelivery,
  claimDeliveries,
  openWebhookSecret,
  type Postgres,
  recordAttempt,
  type SecretSealer,
} from '@popsvc/platform/postgres';
import { type Clock, type Signal, systemClock } from '@popsvc/platform/runtime';
import { Counter, type Log, type Registry } from '@popsvc/platform/telemetry';
import { type PostWebhook, signWebhook } from '@popsvc/platform/webhook-requests';

/** `failed`: the request is attempted again. `dead`: the last attempt failed. */
export type AttemptOutcome = 'delivered' | 'failed' | 'dead';

export const createDeliveryMetrics = (metrics: Registry) =>
  new Counter({
    name: 'popsvc_webhook_attempts_total',
    help: 'Requests to subscribers: delivered; failed, to be attempted again; or dead after the last attempt.',
    labelNames: ['outcome'] as const,
    registers: [metrics],
  });

/** After this time, the process that claimed a delivery counts as stopped. A request takes at most 10 s. */
const claimTimeoutMs = 60_000;
/** The limit per subscription keeps a slow subscriber from delaying others. */
const [maxRequests, maxRequestsOfSubscription] = [32, 4];
const pollMs = 1_000;

export interface DeliveriesDependencies {
  readonly postgres: Postgres;
  readonly secretSealer: SecretSealer;
  readonly post: PostWebhook;
  readonly log: Log;
  readonly onAttempt?: (outcome: AttemptOutcome) => void;
  readonly clock?: Clock;
  /** Numbers from 0 to 1 for the jitter of retries. */
  readonly random?: () => number;
}

const [firstPauseMs, longestPauseMs, pauseFactor] = [10_000, 12 * 3_600_000, 4];

/** Subtracts a random part of up to half of the pause, so that requests that failed together are not repeated together. */
const retryPauseMs = (attempt: number, random: number): number =>
  Math.min(longestPauseMs, firstPauseMs * pauseFactor ** (attempt - 1)) * (1 - random / 2);

const isSuccess = (status: number) => status >= 200 && status < 300;

const attemptDelivery = async (
  { postgres, secretSealer, post, log, onAttempt, clock = systemClock, random = Math.random }: DeliveriesDependencies,
  delivery: ClaimedDelivery,
  signal: AbortSignal,
): Promise<void> => {
  const { id, subscriptionId: webhook, noticeId, payload, url, attempt, secrets } = delivery;
  const sentAtMs = clock.now();
  const opened = secrets.map((sealed) => openWebhookSecret(secretSealer, sealed));
  const headers = signWebhook({ id: noticeId, body: payload, sentAtMs }, opened);
  const result = await post({ url, headers, body: payload, signal });
  // This process stops. Another one attempts the delivery again when the claim expires.
  if (signal.aborted) return;
  const endedAtMs = clock.now();
  const made = {
    at: new Date(sentAtMs).toISOString(),
    status: 'status' in result ? result.status : null,
    error: 'error' in result ? result.error : null,
    duration_ms: Math.max(0, endedAtMs - sentAtMs),
  };
  const isDelivered = made.status !== null && isSuccess(made.status);
  const isLast = attempt >= maxDeliveryAttempts;
  const outcome = isDelivered ? 'delivered' : isLast ? 'dead' : 'failed';
  const next = outcome === 'failed' ? endedAtMs + retryPauseMs(attempt, random()) : outcome;
  const isRecorded = await recordAttempt(postgres, delivery, made, next);
  if (!isRecorded) return;
  onAttempt?.(outcome);
  const fields = { webhook, delivery: id, attempt, status: made.status, error: made.error };
  if (outcome === 'dead') log.warn(fields, 'failed to deliver a notice in all attempts; it is a dead letter');
  else if (outcome === 'failed') log.info(fields, 'failed to deliver a notice; it is attempted again');
};

export interface Deliveries {
  attemptDue(signal: AbortSignal): Promise<number>;
  whenIdle(): Promise<void>;
}

export const createDeliveries = (
  dependencies: DeliveriesDependencies,
  onEnded: () => void = () => undefined,
): Deliveries => {
  const { postgres, log, clock = systemClock } = dependencies;
  const running = new Map<Promise<void>, string>();

  const start = (delivery: ClaimedDelivery, signal: AbortSignal) => {
    const attempt = attemptDelivery(dependencies, delivery, signal)
      .catch((err: unknown) => {
        const fields = { err, webhook: delivery.subscriptionId, delivery: delivery.id };
        log.warn(fields, 'failed to sign a notice or to record its attempt; it is attempted again');
      })
      .finally(() => {
        running.delete(attempt);
        onEnded();
      });
    running.set(attempt, delivery.subscriptionId);
  };

  /** No more deliveries to subscriptions with a running attempt are claimed, so that their concurrent requests stay limited. */
  const busy = () => [...new Set(running.values())];

  return {
    async attemptDue(signal) {
      const limit = maxRequests - running.size;
      if (limit <= 0) return 0;
      const claimed = await claimDeliveries(postgres, {
        nowMs: clock.now(),
        timeoutMs: claimTimeoutMs,
        limit,
        perSubscription: maxRequestsOfSubscription,
        busy: busy(),
      });
      for (const delivery of claimed) start(delivery, signal);
      return claimed.length;
    },
    async whenIdle() {
      await Promise.all(running.keys());
    },
  };
};

/** Notify `added` when there are new deliveries. */
export const runDeliveries = async (
  dependencies: DeliveriesDependencies,
  added: Signal,
  signal: AbortSignal,
): Promise<void> => {
  const deliveries = createDeliveries(dependencies, () => added.notify());
  const isOver = () => signal.aborted;
  let failures = 0;
  while (!isOver()) {
    try {
      const claimed = await deliveries.attemptDue(signal);
      failures = 0;
      if (claimed > 0) continue;
    } catch (err) {
      if (failures === 0) dependencies.log.warn({ err }, 'failed to read due deliveries; retrying');
      failures += 1;
    }
    await added.wait(pollMs * Math.min(10, 1 + failures));
  }
  await deliveries.whenIdle();
};
