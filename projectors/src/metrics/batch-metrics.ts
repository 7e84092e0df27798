import { createProjectionMetrics } from './projection-metrics.ts';
import type { RunnerDependencies } from '../engine/runner-parts.ts';
import { type LagMetricsDependencies, createLagMetrics } from './lag-metrics.ts';

/** What is counted of every batch. */
export const createBatchMetrics = (parts: LagMetricsDependencies): NonNullable<RunnerDependencies['onBatch']> => {
  const count = createProjectionMetrics(parts.metrics);
  const learn = createLagMetrics(parts);
  return (projection, batch, generation) => {
    count(projection, batch, generation);
    learn(projection.name, generation, batch);
  };
};
