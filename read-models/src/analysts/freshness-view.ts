import type { ProjectionName } from '../declarations/projection-names.ts';
import { includesNetworkSql, pendingView } from '../pending/pending.table.ts';
import { progressView, registryTables } from '../tables/index.ts';
import { column, defineAnalystView, ofNetwork, TABLES_DATABASE } from './analyst-view.ts';

/** Views with data of events: of `devices`, only the columns of heartbeats. */
const viewsByProjection: Partial<Record<ProjectionName, readonly string[]>> = {
  coffee: ['plays', 'audience', 'vendor_balance'],
  'watcher-summary': ['watchers'],
  uptime: ['heartbeats'],
  status: ['devices', 'outages'],
};

const viewsSql = `map(${Object.entries(viewsByProjection)
  .map(([projection, views]) => `'${projection}', [${views.map((view) => `'${view}'`).join(', ')}]`)
  .join(', ')})`;

/** Time of a projection that has written nothing. */
const nothing = "toDateTime64(0, 3, 'UTC')";
const noRange = `(toUInt64(0), toUInt64(0), toUInt8(0), toUInt8(0), ${nothing})`;

/**
 * Pending ranges are an array, because ClickHouse could evaluate an analyst's condition on rows of other networks. The query reads progress
 * before ranges, because a batch writes its ranges before its progress.
 */
const selectProgress = `
  SELECT projection, max(reached) AS reached, groupArrayIf(range, range.1 > 0) AS pending
  FROM (
    SELECT projection, as_of AS reached, ${noRange} AS range FROM ${TABLES_DATABASE}.${progressView.name}_live
    UNION ALL
    SELECT arrayJoin(mapKeys(${viewsSql})) AS projection, ${nothing} AS reached, ${noRange} AS range
    UNION ALL
    SELECT projection, ${nothing} AS reached, (network_id, last_network, partitions, shards, as_of) AS range
    FROM ${TABLES_DATABASE}.${pendingView.name}_live
  )
  GROUP BY projection`;

const includesNetwork = includesNetworkSql(
  { network: 'range.1', lastNetwork: 'range.2', partitions: 'range.3', shards: 'range.4' },
  'r.network_id',
);
const pendingTimes = `arrayMap(range -> range.5, arrayFilter(range -> ${includesNetwork}, r.pending))`;

export const freshness = defineAnalystView({
  name: 'freshness',
  about:
    'One row per network and view with rows of events: the time up to which the view is complete. It has the same value as the header X-Data-As-Of of reports.',
  from: (ownRows) =>
    `(SELECT n.network_id AS network_id, p.reached AS reached, p.pending AS pending, arrayJoin(${viewsSql}[p.projection]) AS view_name ` +
    `FROM ${ownRows(registryTables.networks)} AS n CROSS JOIN (${selectProgress}) AS p) AS r`,
  columns: {
    ...ofNetwork,
    view_name: column('String', 'Name of the view; of devices, its columns of heartbeats.', 'r.view_name'),
    as_of: column(
      "Nullable(DateTime64(3, 'UTC'))",
      'The view shows everything that the service received of the network up to this time; null before the first event.',
      `nullIf(arrayMin(arrayPushBack(${pendingTimes}, r.reached)), ${nothing})`,
    ),
  },
});
