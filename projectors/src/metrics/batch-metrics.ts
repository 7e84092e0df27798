import { type EventStore, LogDensity, type ObservedSpan } from '@popsvc/platform/event-store';
import { createSampler } from '@popsvc/platform/runtime';
import { Counter, Histogram, type Registry } from '@popsvc/platform/telemetry';
import type { Batch } from '../engine/batch.ts';
import type { RunnerDependencies } from '../engine/dependencies.ts';
import type { GenerationPartition } from '../engine/generation-partitions.ts';
import type { ProjectionStatus, StatusRegistry } from '../engine/projection-status.ts';
import type { Projection } from '../engine/projection.ts';
import { registerGauge } from './gauges.ts';

const createProjectionMetrics = (metrics: Registry) => {
  const registers = [metrics];
  const labelNames = ['projection', 'generation', 'partition'];
  const events = new Counter({
    name: 'popsvc_projected_events_total',
    help: 'Items of events projected: plays, detections, heartbeats and others.',
    labelNames,
    registers,
  });
  const parked = new Counter({
    name: 'popsvc_parked_events_total',
    help: 'Items of events parked since the start of the process.',
    labelNames,
    registers,
  });
  const size = new Histogram({
    name: 'popsvc_projection_batch_events',
    help: 'Items of events in a batch.',
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
    help: 'Events quarantined on arrival because no mapping turned them into a play.',
    labelNames: ['code'],
    registers,
  });
  return ({ name: projection }: Projection, batch: Batch, { generation, partition }: GenerationPartition): void => {
    const which = { projection, generation, partition: partition.index };
    for (const [code, count] of batch.sealed.quarantined ?? []) quarantined.inc({ code }, count);
    for (const [vocabulary, count] of batch.sealed.unmapped ?? []) unmapped.inc({ vocabulary }, count);
    events.inc(which, batch.items);
    if (batch.parked.length > 0) parked.inc(which, batch.parked.length);
    size.observe(which, batch.items);
  };
};

interface LagMetricsDependencies {
  readonly metrics: Registry;
  readonly statusRegistry: StatusRegistry;
  readonly store: Pick<EventStore, 'readHeadPosition'>;
}

const keyOf = (projection: string, generation: number, partition: number) => `${projection} ${generation} ${partition}`;

const createLagMetrics = ({ metrics, statusRegistry, store }: LagMetricsDependencies) => {
  const labelNames = ['projection', 'generation', 'partition'] as const;
  const densities = new Map<string, LogDensity>();
  const head = createSampler(() => store.readHeadPosition(), { maxAgeMs: 2_000 });
  const own = () => statusRegistry.statuses.filter(({ state, asOfMs }) => state !== 'waiting' && asOfMs > 0);
  const labels = ({ name, generation, partition = 0 }: ProjectionStatus) => ({
    projection: name,
    generation,
    partition,
  });

  registerGauge(
    metrics,
    {
      name: 'popsvc_projection_lag_seconds',
      help: 'Seconds since the newest projected event was appended; probes keep it under their interval of 10 s.',
      labelNames,
    },
    () => own().map((status) => [labels(status), Math.max(0, Date.now() - status.asOfMs) / 1_000]),
  );
  registerGauge(
    metrics,
    {
      name: 'popsvc_projection_lag_events',
      help: 'Estimated number of events between the position of a projection and the end of the log, from the density of its earlier batches.',
      labelNames,
    },
    async () => {
      const upTo = await head();
      if (upTo === undefined) return [];
      return own().map((status) => {
        const density = densities.get(keyOf(status.name, status.generation, status.partition ?? 0));
        return [labels(status), density?.estimateBetween(status.position, upTo) ?? 0];
      });
    },
  );
  registerGauge(
    metrics,
    {
      name: 'popsvc_projection_running',
      help: '1 while a projection of this process is running, 0 while it starts or fails.',
      labelNames,
    },
    () =>
      statusRegistry.statuses
        .filter(({ state }) => state !== 'waiting')
        .map((status) => [labels(status), Number(status.state === 'running')]),
  );

  return ({ projection, generation, partition }: GenerationPartition, span: ObservedSpan): void => {
    const key = keyOf(projection.name, generation, partition.index);
    const density = densities.get(key) ?? new LogDensity();
    densities.set(key, density);
    density.observe(span);
  };
};

export const createBatchMetrics = (
  dependencies: LagMetricsDependencies,
): NonNullable<RunnerDependencies['onBatch']> => {
  const count = createProjectionMetrics(dependencies.metrics);
  const learn = createLagMetrics(dependencies);
  return (projection, batch, target) => {
    count(projection, batch, target);
    learn(target, batch);
  };
};
