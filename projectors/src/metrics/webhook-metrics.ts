import { countDeliveries, type Postgres } from '@popsvc/platform/postgres';
import { createSampler } from '@popsvc/platform/runtime';
import { Gauge, type Registry } from '@popsvc/platform/telemetry';

export const registerWebhookMetrics = (metrics: Registry, postgres: Postgres): void => {
  const read = createSampler(() => countDeliveries(postgres), { maxAgeMs: 5_000 });
  new Gauge({
    name: 'popsvc_webhook_deliveries',
    help: 'Notices for subscribers that are pending, and dead letters: those that were not delivered in all attempts.',
    labelNames: ['state'],
    registers: [metrics],
    async collect() {
      const counts = await read();
      this.reset();
      if (!counts) return;
      this.set({ state: 'pending' }, counts.pending);
      this.set({ state: 'dead' }, counts.dead);
    },
  });
};
