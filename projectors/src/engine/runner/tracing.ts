import type { SubscriptionItem } from '@popsvc/platform/event-store';
import { isSampled, isTracingEnabled, type SpanOptions, type TraceContext } from '@popsvc/platform/telemetry';
import type { Batch } from '../batch.ts';
import type { ProjectionGeneration } from '../dependencies.ts';

/** Maximum number of links of a batch, whose events can come from thousands of requests. */
const most = 32;

interface TracedSource {
  readonly source: AsyncIterable<SubscriptionItem>;
  /** Returns the distinct trace contexts of the events up to a position since the last call. */
  takeUpTo(position: bigint): readonly TraceContext[];
}

/** Collects the trace contexts of events until their batch is written. Does nothing while tracing is off. */
export const collectTraceContexts = (source: AsyncIterable<SubscriptionItem>): TracedSource => {
  if (!isTracingEnabled()) return { source, takeUpTo: () => [] };
  /** Each with the position of its first event; the events of one request are adjacent. */
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

/** Describes the span of a batch: a trace of its own with links to the requests that brought its events. */
export const describeBatchSpan = (
  { projection, generation }: ProjectionGeneration,
  { events, sealed, upTo }: Pick<Batch, 'events' | 'sealed' | 'upTo'>,
  links: readonly TraceContext[],
): SpanOptions => ({
  name: `project ${projection.name}`,
  kind: 'internal',
  parent: 'new',
  links,
  attributes: {
    'popsvc.projection': projection.name,
    'popsvc.generation': generation,
    'popsvc.events': events,
    'popsvc.rows': sealed.inserts.reduce((rows, { batch }) => rows + batch.rows, 0),
    'popsvc.position': upTo.toString(),
  },
});
