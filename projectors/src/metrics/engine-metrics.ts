import type { ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { createSampler } from '@popsvc/platform/runtime';
import { Gauge, type Registry } from '@popsvc/platform/telemetry';

interface Parts {
  readonly rows: number;
  readonly bytes: number;
  readonly parts: number;
  readonly worst: number;
}

interface Disk {
  readonly name: string;
  readonly free: number;
  readonly size: number;
}

const partsSql = `
  SELECT toFloat64(sum(r)) AS rows, toFloat64(sum(b)) AS bytes, toFloat64(sum(n)) AS parts, toFloat64(max(n)) AS worst
  FROM (
    SELECT table, partition_id, count() AS n, sum(rows) AS r, sum(bytes_on_disk) AS b
    FROM system.parts WHERE active AND database = currentDatabase() GROUP BY table, partition_id)`;

const disksSql = `SELECT name, toFloat64(unreserved_space) AS free, toFloat64(total_space) AS size FROM system.disks`;

/** How ClickHouse fares, as far as the service's own user sees it. */
export const registerClickHouseMetrics = (metrics: Registry, writer: ClickHouseWriter): void => {
  const registers = [metrics];
  const parts = createSampler(async () => (await writer.rows<Parts>(partsSql, { timeoutMs: 2_000 }))[0], {
    maxAgeMs: 15_000,
  });
  const disks = createSampler(() => writer.rows<Disk>(disksSql, { timeoutMs: 2_000 }), { maxAgeMs: 15_000 });

  const ofParts = (name: string, help: string, value: (found: Parts) => number) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const found = await parts();
        if (found) this.set(value(found));
        else this.remove();
      },
    });
  ofParts('popsvc_clickhouse_rows', 'Rows on disk, all generations and what merges have yet to remove.', (f) => f.rows);
  ofParts('popsvc_clickhouse_bytes', 'What these rows take on disk.', (f) => f.bytes);
  ofParts('popsvc_clickhouse_parts', 'Active parts of all tables.', (f) => f.parts);
  ofParts(
    'popsvc_clickhouse_partition_parts_max',
    'Most active parts of one partition; past 300 merges do not keep up, past 3,000 inserts are refused.',
    (f) => f.worst,
  );

  const ofDisks = (name: string, help: string, value: (disk: Disk) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['disk'],
      registers,
      async collect() {
        const found = await disks();
        this.reset();
        for (const disk of found ?? []) this.set({ disk: disk.name }, value(disk));
      },
    });
  ofDisks('popsvc_clickhouse_disk_free_bytes', 'Room that is left on a disk of ClickHouse.', ({ free }) => free);
  ofDisks('popsvc_clickhouse_disk_bytes', 'Size of that disk.', ({ size }) => size);
};
