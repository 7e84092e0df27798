import type { Reader, Writer } from '@popsvc/platform/clickhouse';
import type { Records } from '@popsvc/platform/postgres';
import type { Registry } from '@popsvc/platform/runtime';
import { engineMetrics } from './engine-metrics.ts';
import { readModelMetrics } from './read-model-metrics.ts';
import { recordsMetrics } from './records-metrics.ts';

export interface ServiceFigures {
  readonly metrics: Registry;
  readonly records: Records;
  readonly reader: Reader;
  readonly writer: Writer;
  /** Under which name this process holds leases. */
  readonly owner: string;
}

/** What is not counted as it happens but asked of the stores when somebody looks, and not more often than each few seconds. */
export const serviceMetrics = ({ metrics, records, reader, writer, owner }: ServiceFigures): void => {
  recordsMetrics(metrics, records, owner);
  readModelMetrics(metrics, reader);
  engineMetrics(metrics, writer);
};
