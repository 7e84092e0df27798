import { Counter, Gauge, type Registry } from '@popsvc/platform/runtime';
import type { Batch } from './batcher.ts';
import type { Board } from './board.ts';
import type { Projection } from './projection.ts';

/** Figures of the projections: how far behind, how much, how many set aside. */
export const projectionMetrics = (metrics: Registry, board: Board) => {
  const registers = [metrics];
  const labelNames = ['projection', 'generation'];
  const events = new Counter({
    name: 'popsvc_projected_events_total',
    help: 'Events projected.',
    labelNames,
    registers,
  });
  const parked = new Counter({ name: 'popsvc_parked_events_total', help: 'Events set aside.', labelNames, registers });
  const size = new Gauge({
    name: 'popsvc_projection_batch_events',
    help: 'Events of the last batch.',
    labelNames,
    registers,
  });
  new Gauge({
    name: 'popsvc_projection_age_seconds',
    help: 'Seconds since the newest projected event was appended; probes keep it near their interval.',
    labelNames,
    registers,
    collect() {
      this.reset();
      for (const { name, generation, asOfMs } of board.standings)
        if (asOfMs > 0) this.set({ projection: name, generation }, (Date.now() - asOfMs) / 1000);
    },
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
    size.set(which, batch.events);
  };
};
