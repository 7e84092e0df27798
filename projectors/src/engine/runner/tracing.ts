import type { EventMetadata } from '@popsvc/contracts/events';
import type { SubscriptionItem } from '@popsvc/platform/event-store';
import { isSampled, isTracingEnabled, type SpanOptions, type TraceContext } from '@popsvc/platform/telemetry';
import type { Batch } from '../batch.ts';
import type { ProjectionGeneration } from '../generation-partitions.ts';

/** A batch can contain events of thousands of requests. */
const maxLinks = 32;

interface TracedSource {
  readonly source: AsyncIterable<SubscriptionItem>;
  takeUpTo(position: bigint): readonly TraceContext[];
}

/** Another program may append an event without metadata, which is parked later. */
const contextOf = (item: SubscriptionItem): string | undefined =>
  item.kind === 'event' ? (item.event.metadata as Partial<EventMetadata> | null | undefined)?.correlationId : undefined;

export const collectTraceContexts = (source: AsyncIterable<SubscriptionItem>): TracedSource => {
  if (!isTracingEnabled()) return { source, takeUpTo: () => [] };
  const firstPositions = new Map<TraceContext, bigint>();
  async function* collecting(): AsyncGenerator<SubscriptionItem> {
    for await (const followed of source) {
      const context = contextOf(followed);
      if (
        followed.kind === 'event' &&
        isSampled(context) &&
        firstPositions.size < 2 * maxLinks &&
        !firstPositions.has(context)
      )
        firstPositions.set(context, followed.event.position);
      yield followed;
    }
  }
  return {
    source: collecting(),
    takeUpTo(position) {
      const taken = [...firstPositions].filter(([, at]) => at <= position).map(([context]) => context);
      for (const context of taken) firstPositions.delete(context);
      return taken.slice(0, maxLinks);
    },
  };
};

/** The span is the root of a new trace, with links to sampled requests that appended its events. */
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
