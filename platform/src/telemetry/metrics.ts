import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, type Registry };

/** One registry a server, never the global one, so that several can live in one process. `standard`: Node's own figures too. */
export const createMetrics = (service: string, { standard = false } = {}): Registry => {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (standard) collectDefaultMetrics({ register: registry });
  return registry;
};

/** Seconds, fine where an answer should be. */
export const latencyBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
