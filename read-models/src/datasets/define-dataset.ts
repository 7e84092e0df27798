import type { TableDefinition } from '@popsvc/platform/clickhouse';
import type { DatasetColumn } from './column.ts';

/** A report partners read: its columns, and the table whose rows they are made of (sorted by network, ts, number). */
export interface Dataset {
  readonly name: string;
  readonly about: string;
  readonly table: TableDefinition;
  readonly columns: readonly DatasetColumn[];
}
