import { collectDefaultMetrics, Registry } from 'prom-client';

/** Several servers may run in one process, so each has a registry, and none uses the global one of prom-client. */
export const createMetrics = (service: string, { standard = false } = {}): Registry => {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (standard) collectDefaultMetrics({ register: registry });
  return registry;
};

export const latencyBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
