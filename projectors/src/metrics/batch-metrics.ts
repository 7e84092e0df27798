import { projectionMetrics } from './projection-metrics.ts';
import type { RunnerParts } from '../engine/runner-parts.ts';
import { type LagParts, lagMetrics } from './lag-metrics.ts';

/** What is counted of every batch. */
export const batchMetrics = (parts: LagParts): NonNullable<RunnerParts['onBatch']> => {
  const count = projectionMetrics(parts.metrics);
  const learn = lagMetrics(parts);
  return (projection, batch, generation) => {
    count(projection, batch, generation);
    learn(projection.name, generation, batch);
  };
};
