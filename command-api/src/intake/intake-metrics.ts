import type { IntakeKind } from '@popsvc/contracts/events';
import { Counter, Gauge, Histogram, latencyBucketsSeconds, type Registry } from '@popsvc/platform/telemetry';

export interface IntakeMetrics {
  accepted(kind: IntakeKind, events: number): void;
  replayed(kind: IntakeKind): void;
  appended(seconds: number, requests: number, outcome: 'stored' | 'refused' | 'unknown'): void;
  /** One more request waits for the log; tells that it does not any more. */
  waits(): () => void;
}

/** What came in, and how the log took it. Refusals are counted by the HTTP kit, by route and code. */
export const intakeMetrics = (registry: Registry): IntakeMetrics => {
  const registers = [registry];
  const events = new Counter({
    name: 'popsvc_intake_events_accepted_total',
    help: 'Events accepted, all of them durable.',
    labelNames: ['kind'] as const,
    registers,
  });
  const replays = new Counter({
    name: 'popsvc_intake_requests_replayed_total',
    help: 'Requests told again with their idempotency key and answered without appending.',
    labelNames: ['kind'] as const,
    registers,
  });
  const seconds = new Histogram({
    name: 'popsvc_append_seconds',
    help: 'Time of one append call to the event store.',
    labelNames: ['outcome'] as const,
    buckets: latencyBucketsSeconds,
    registers,
  });
  const requests = new Histogram({
    name: 'popsvc_append_requests',
    help: 'Requests that travelled together in one append call.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const waiting = new Gauge({
    name: 'popsvc_append_queue_requests',
    help: 'Requests that wait for the log: their turn, and its answer.',
    registers,
  });
  return {
    waits() {
      waiting.inc();
      return () => waiting.dec();
    },
    accepted: (kind, count) => events.inc({ kind }, count),
    replayed: (kind) => replays.inc({ kind }),
    appended(took, together, outcome) {
      seconds.observe({ outcome }, took);
      requests.observe(together);
    },
  };
};
