import type { SubscriptionItem } from '@popsvc/platform/event-store';
import { isSampled, isTracingEnabled, type TraceContext } from '@popsvc/platform/telemetry';

/** So many links has a batch at most: thousands of requests may have brought its events. */
const most = 32;

export interface TracedSource {
  readonly source: AsyncIterable<SubscriptionItem>;
  /** The different trails of what was read up to a position and not taken yet. */
  takeUpTo(position: bigint): readonly TraceContext[];
}

/** Keeps what events tell of the traces they come from, until their batch is written. Costs nothing where nobody traces. */
export const collectTraceContexts = (source: AsyncIterable<SubscriptionItem>): TracedSource => {
  if (!isTracingEnabled()) return { source, takeUpTo: () => [] };
  /** Each with the first position it was met at: events of one request stand side by side. */
  const met = new Map<TraceContext, bigint>();
  async function* noting(): AsyncGenerator<SubscriptionItem> {
    for await (const followed of source) {
      const trail = followed.kind === 'event' ? followed.event.metadata.correlationId : undefined;
      if (followed.kind === 'event' && isSampled(trail) && met.size < 2 * most && !met.has(trail))
        met.set(trail, followed.event.position);
      yield followed;
    }
  }
  return {
    source: noting(),
    takeUpTo(position) {
      const taken = [...met].filter(([, at]) => at <= position).map(([trail]) => trail);
      for (const trail of taken) met.delete(trail);
      return taken.slice(0, most);
    },
  };
};
