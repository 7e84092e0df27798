import { Counter, Histogram, type Registry } from '@popsvc/platform/telemetry';
import type { Batch } from '../engine/batch.ts';
import type { Projection } from '../engine/projection.ts';

/** What the projections do: how much, in which batches, how many set aside. */
export const createProjectionMetrics = (metrics: Registry) => {
  const registers = [metrics];
  const labelNames = ['projection', 'generation'];
  const events = new Counter({
    name: 'popsvc_projected_events_total',
    help: 'Events projected.',
    labelNames,
    registers,
  });
  const parked = new Counter({
    name: 'popsvc_parked_events_total',
    help: 'Events set aside since the start.',
    labelNames,
    registers,
  });
  const size = new Histogram({
    name: 'popsvc_projection_batch_events',
    help: 'Events of a batch.',
    labelNames,
    buckets: [1, 10, 100, 500, 1_000, 2_500, 5_000, 10_000],
    registers,
  });
  const unmapped = new Counter({
    name: 'popsvc_unmapped_words_total',
    help: 'Words outside a closed vocabulary, reported as unknown.',
    labelNames: ['vocabulary'],
    registers,
  });
  const quarantined = new Counter({
    name: 'popsvc_quarantined_events_total',
    help: 'Events that no mapping could turn into a play when they came.',
    labelNames: ['code'],
    registers,
  });
  return ({ name: projection }: Projection, batch: Batch, generation: number): void => {
    const which = { projection, generation };
    for (const [code, count] of batch.sealed.quarantined ?? []) quarantined.inc({ code }, count);
    for (const [vocabulary, count] of batch.sealed.unmapped ?? []) unmapped.inc({ vocabulary }, count);
    events.inc(which, batch.events);
    if (batch.parked.length > 0) parked.inc(which, batch.parked.length);
    size.observe(which, batch.events);
  };
};
