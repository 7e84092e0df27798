import type { ClickHouseReader, ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Registry } from '@popsvc/platform/telemetry';
import { engineMetrics } from './engine-metrics.ts';
import { readModelMetrics } from './read-model-metrics.ts';
import { recordsMetrics } from './records-metrics.ts';

export interface ServiceFigures {
  readonly metrics: Registry;
  readonly postgres: Postgres;
  readonly reader: ClickHouseReader;
  readonly writer: ClickHouseWriter;
  /** Under which name this process holds leases. */
  readonly owner: string;
}

/** What is not counted as it happens but asked of the stores when somebody looks, and not more often than each few seconds. */
export const serviceMetrics = ({ metrics, postgres, reader, writer, owner }: ServiceFigures): void => {
  recordsMetrics(metrics, postgres, owner);
  readModelMetrics(metrics, reader);
  engineMetrics(metrics, writer);
};
