import { bulkJobs, progress, quarantine } from '@popsvc/read-models/tables';
import { liveViewName, type ClickHouseReader, type Sql, sql } from '@popsvc/platform/clickhouse';
import { createSampler } from '@popsvc/platform/runtime';
import { Gauge, type Registry } from '@popsvc/platform/telemetry';

interface Fresh {
  readonly projection: string;
  readonly as_of_ms: number;
}

interface Counts {
  readonly waiting: number;
  readonly queued: number;
  readonly processing: number;
}

/** Until when everything that was received is in a read model. */
const freshQuery: Sql = sql`
  SELECT projection, toUnixTimestamp64Milli(max(as_of)) AS as_of_ms FROM ${liveViewName(progress)} GROUP BY projection`;

const countsQuery: Sql = sql`
  SELECT (SELECT count() FROM ${liveViewName(quarantine)} WHERE state = 'waiting') AS waiting,
    countIf(began = 0 AND ended = 0) AS queued, countIf(began > 0 AND ended = 0) AS processing
  FROM (SELECT countIf(part = 'began') AS began, countIf(part = 'ended') AS ended
    FROM ${liveViewName(bulkJobs)} GROUP BY job_id)`;

/** What the read models tell of the service: how fresh they are, what waits. */
export const registerReadModelMetrics = (metrics: Registry, reader: ClickHouseReader): void => {
  const registers = [metrics];
  const fresh = createSampler(() => reader.rows<Fresh>(freshQuery), { maxAgeMs: 2_000 });
  const counts = createSampler(async () => (await reader.rows<Counts>(countsQuery))[0], { maxAgeMs: 30_000 });

  new Gauge({
    name: 'popsvc_freshness_seconds',
    help: 'Age of the newest event, probes among them, that is in a read model: how old what reports say may be.',
    labelNames: ['projection'],
    registers,
    async collect() {
      const found = await fresh();
      this.reset();
      for (const { projection, as_of_ms } of found ?? [])
        this.set({ projection }, Math.max(0, Date.now() - as_of_ms) / 1_000);
    },
  });
  new Gauge({
    name: 'popsvc_quarantine_events',
    help: 'Events that wait for a mapping that fits, or for their screen to be registered.',
    registers,
    async collect() {
      const found = await counts();
      if (found) this.set(found.waiting);
      else this.remove();
    },
  });
  new Gauge({
    name: 'popsvc_bulk_jobs',
    help: 'Bulk jobs that are not over, by where they stand.',
    labelNames: ['status'],
    registers,
    async collect() {
      const found = await counts();
      this.reset();
      if (!found) return;
      this.set({ status: 'queued' }, found.queued);
      this.set({ status: 'processing' }, found.processing);
    },
  });
};
