import type { SpanOptions, TraceContext } from '@popsvc/platform/telemetry';
import type { Batch } from '../batch.ts';
import type { ProjectionGeneration } from '../runner-parts.ts';

/** A batch begins a trace of its own, with links to the requests that brought its events. */
export const describeBatchSpan = (
  { projection, generation }: ProjectionGeneration,
  { events, sealed, upTo }: Pick<Batch, 'events' | 'sealed' | 'upTo'>,
  links: readonly TraceContext[],
): SpanOptions => ({
  name: `project ${projection.name}`,
  kind: 'work',
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
