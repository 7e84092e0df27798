import { collectDefaultMetrics, Registry } from 'prom-client';

/**
 * Creates a metrics registry for one server. The global registry of prom-client is not used, because several servers may run in one
 * process. `standard`: adds the process metrics of Node.js.
 */
export const createMetrics = (service: string, { standard = false } = {}): Registry => {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  if (standard) collectDefaultMetrics({ register: registry });
  return registry;
};

export const latencyBucketsSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
