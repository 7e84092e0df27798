import type { ClickHouseReader, ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Registry } from '@popsvc/platform/telemetry';
import { registerClickHouseMetrics } from './engine-metrics.ts';
import { registerReadModelMetrics } from './read-model-metrics.ts';
import { registerPostgresMetrics } from './records-metrics.ts';

export interface StoreMetricsDependencies {
  readonly metrics: Registry;
  readonly postgres: Postgres;
  readonly reader: ClickHouseReader;
  readonly writer: ClickHouseWriter;
  /** Under which name this process holds leases. */
  readonly owner: string;
}

/** What is not counted as it happens but asked of the stores when somebody looks, and not more often than each few seconds. */
export const registerStoreMetrics = ({ metrics, postgres, reader, writer, owner }: StoreMetricsDependencies): void => {
  registerPostgresMetrics(metrics, postgres, owner);
  registerReadModelMetrics(metrics, reader);
  registerClickHouseMetrics(metrics, writer);
};
