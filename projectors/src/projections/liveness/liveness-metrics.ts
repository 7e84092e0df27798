import { Counter, type Registry } from '@popsvc/platform/telemetry';

/** What the monitor finds. */
export const createLivenessMetrics = (metrics: Registry) =>
  new Counter({
    name: 'popsvc_liveness_changes_total',
    help: 'Devices and feeders that were found to have gone online or offline.',
    labelNames: ['status'] as const,
    registers: [metrics],
  });
