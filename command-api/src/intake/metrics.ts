import type { IntakeKind } from '@popsvc/contracts/events';
import type { PlayReference } from '@popsvc/contracts/responses';
import { Counter, Gauge, Histogram, latencyBucketsSeconds, type Registry } from '@popsvc/platform/telemetry';
import type { IntakeCounter } from './minute-counts.ts';

export interface IntakeMetrics {
  countAccepted(kind: IntakeKind, events: number): void;
  countReplayed(kind: IntakeKind): void;
  /** Counts accepted plays whose `field` names an id that the registry does not contain. */
  countUnknownReferences(
    sender: { readonly network: number; readonly vendor: string },
    field: PlayReference,
    plays: number,
  ): void;
  observeAppend(seconds: number, requests: number, outcome: 'stored' | 'refused' | 'unknown'): void;
  /** The returned function ends the wait. */
  trackWaiting(): () => void;
}

/** Senders beyond this number share the label values `other`. */
const maxSenders = 500;

const otherSenders = { network: 'other', vendor: 'other' };

const createSenderLabels = () => {
  const known = new Set<string>();
  return ({ network, vendor }: { readonly network: number; readonly vendor: string }) => {
    const sender = `${network} ${vendor}`;
    if (!known.has(sender) && known.size >= maxSenders) return otherSenders;
    known.add(sender);
    return { network: String(network), vendor };
  };
};

export const createIntakeMetrics = (registry: Registry): IntakeMetrics => {
  const registers = [registry];
  const events = new Counter({
    name: 'popsvc_intake_events_accepted_total',
    help: 'Events accepted; all of them are durable.',
    labelNames: ['kind'] as const,
    registers,
  });
  const replays = new Counter({
    name: 'popsvc_intake_requests_replayed_total',
    help: 'Retries with an idempotency key that were answered without an append.',
    labelNames: ['kind'] as const,
    registers,
  });
  const unknownReferences = new Counter({
    name: 'popsvc_intake_unknown_references_total',
    help: `Accepted plays whose field names an id that the registry does not contain. Senders after the first ${maxSenders} count as \`other\`.`,
    labelNames: ['network', 'vendor', 'field'] as const,
    registers,
  });
  const labelsOf = createSenderLabels();
  const appendSeconds = new Histogram({
    name: 'popsvc_append_seconds',
    help: 'Duration of one append call to the event store.',
    labelNames: ['outcome'] as const,
    buckets: latencyBucketsSeconds,
    registers,
  });
  const appendRequests = new Histogram({
    name: 'popsvc_append_requests',
    help: 'Requests that shared one append call.',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
    registers,
  });
  const waiting = new Gauge({
    name: 'popsvc_append_queue_requests',
    help: 'Requests that wait for their append call to start or to finish.',
    registers,
  });
  return {
    trackWaiting() {
      waiting.inc();
      return () => waiting.dec();
    },
    countAccepted: (kind, count) => events.inc({ kind }, count),
    countReplayed: (kind) => replays.inc({ kind }),
    countUnknownReferences: (sender, field, plays) => unknownReferences.inc({ ...labelsOf(sender), field }, plays),
    observeAppend(seconds, requests, outcome) {
      appendSeconds.observe({ outcome }, seconds);
      appendRequests.observe(requests);
    },
  };
};

export const withMinuteCounts = (
  metrics: IntakeMetrics,
  { countAccepted, countRefused }: IntakeCounter,
): IntakeMetrics & Pick<IntakeCounter, 'countRefused'> => ({
  ...metrics,
  countRefused,
  countAccepted(kind, events) {
    metrics.countAccepted(kind, events);
    countAccepted(events);
  },
});
