import type { Dataset } from '@popsvc/read-models/datasets';
import { bind, type Sql, sql, currentRows } from '@popsvc/platform/clickhouse';
import { ceilMs, type Window } from '../asked/index.ts';
import { instantSql, ofNetwork } from './of-network.ts';

/** The rows a report is about, whatever the page. */
export interface Extent {
  readonly dataset: Dataset;
  readonly network: number;
  readonly window: Window;
  /** Empty: all of the network's, and rows whose site is not known. */
  readonly siteIds: readonly number[];
  /** Of the tables; without it, the live one. */
  readonly generation?: number | undefined;
}

export const reportRows = ({ dataset, network, window, siteIds, generation }: Extent, more?: Sql): Sql => {
  const conditions = [
    sql`ts >= ${instantSql(ceilMs(window.from))}`,
    sql`ts < ${instantSql(ceilMs(window.to))}`,
    ofSites(siteIds),
    more,
  ];
  return ofNetwork(dataset.table, network, conditions, currentRows(dataset.table, generation));
};

export const ofSites = (siteIds: readonly number[]): Sql | undefined =>
  siteIds.length > 0 ? sql`site_id IN ${bind('Array(UInt64)', siteIds)}` : undefined;
