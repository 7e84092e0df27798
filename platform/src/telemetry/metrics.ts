import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * Creates a metrics registry. Each server has its own registry instead of prom-client's global one, so several servers can run in
 * one process. `standard` adds Node's process metrics.
 */
export const createMetrics = (service: string, { standard = false } = {}): Registry => {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (standard) collectDefaultMetrics({ register: registry });
  return registry;
};

/** Histogram buckets for latencies, in seconds. They are narrow where most latencies are expected. */
export const latencyBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
