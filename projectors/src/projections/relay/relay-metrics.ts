import { Counter, type Registry } from '@popsvc/platform/telemetry';

/** What is published of the log. */
export const createRelayMetrics = (metrics: Registry) =>
  new Counter({
    name: 'popsvc_relayed_events_total',
    help: 'Events of the log that the bus has, probes left out.',
    registers: [metrics],
  });
