import {
  bind,
  fewRows,
  instantSql,
  joinWithCommas,
  joinWithOr,
  joinWithUnionAll,
  numberSql,
  quoteString,
  selectColumn,
  type Sql,
  sql,
  sqlText,
  tableName,
} from '@popsvc/platform/clickhouse';
import type { Dataset } from '@popsvc/read-models/datasets';
import { type DerivedTable, registryTables, reportHistory, writtenPosition } from '@popsvc/read-models/tables';
import { fileColumns, sortOnDisk } from '../reports/download-query.ts';
import { isOfSites } from '../reports/report-queries.ts';
import { rowsOfNetwork } from '../scope/network-rows.ts';

export interface ChangeSelection {
  readonly dataset: Dataset;
  readonly derived: DerivedTable;
  readonly network: number;
  readonly generation: number;
  readonly registry: number;
  /** Selects changes of rows that belong or, by the history of the report, belonged to these sites. An empty list selects all changes. */
  readonly siteIds: readonly number[];
}

const isOrWasOfSites = ({ dataset, network, generation, siteIds }: ChangeSelection): Sql | undefined => {
  const isOwn = isOfSites(siteIds);
  if (!isOwn) return undefined;
  const former = rowsOfNetwork(dataset.history, network, [isOwn], tableName(dataset.history, generation));
  return sql`(${isOwn} OR (ts, number) IN (SELECT ts, number FROM ${former}))`;
};

const isWithdrawn = ({ siteIds }: ChangeSelection): Sql => {
  const isOwn = isOfSites(siteIds);
  return isOwn ? sql`(is_deleted = 1 OR NOT ${isOwn})` : sql`is_deleted`;
};

/** A row that left the selected sites counts as withdrawn, like a deleted one. `number` is the key of the change. */
const changeColumns = (selection: ChangeSelection): Sql =>
  sql`toString(version) AS version_text, toUInt64(${isWithdrawn(selection)}) AS is_withdrawn, ts, number,
  ${sqlText(selection.dataset.page.columns.join(', '))}`;

/** `ms`: the `ts` of the row, ms since 1970. */
export interface ChangedRow {
  readonly version: string;
  readonly ms: number;
  readonly number: number;
}

/** Rows after the row `after` or, without `after`, with a version above `from`; in both cases up to the version `upTo`. */
export interface VersionRange {
  readonly from: string;
  readonly after?: ChangedRow | undefined;
  readonly upTo: bigint;
}

const changedRows = (selection: ChangeSelection, { from, after, upTo }: VersionRange): Sql => {
  const isAfter = after
    ? sql`version >= ${numberSql(BigInt(after.version))} AND (version, ts, number) > (${numberSql(BigInt(after.version))}, ${instantSql(after.ms)}, ${numberSql(after.number)})`
    : sql`version > ${numberSql(BigInt(from))}`;
  return rowsOfNetwork(
    selection.dataset.table,
    selection.network,
    [isAfter, sql`version <= ${numberSql(upTo)}`, isOrWasOfSites(selection)],
    tableName(selection.dataset.table, selection.generation),
  );
};

export const queryChangedRows = (selection: ChangeSelection, range: VersionRange, limit: number): Sql => sql`
SELECT ${changeColumns(selection)} FROM ${changedRows(selection, range)}
ORDER BY version, ts, number LIMIT 1 BY version, ts, number LIMIT ${numberSql(limit)}`;

/** Registry changes after `fromMs` and up to `toMs`, both in ms since 1970. */
export interface NamesRange {
  readonly fromMs: number;
  readonly toMs: number;
}

const isChanged = ({ fromMs, toMs }: NamesRange): Sql =>
  sql`changed_at > ${instantSql(fromMs)} AND changed_at <= ${instantSql(toMs)}`;

/** By dataset: a row shows the values of the entity whose `key` equals the `column` of the row. `stem`: name of the registry table. */
const lookedUp: Readonly<
  Record<
    string,
    readonly { readonly stem: keyof typeof registryTables; readonly key: string; readonly column: string }[]
  >
> = {
  coffee: [
    { stem: 'campaigns', key: 'external_id', column: 'campaign_ref' },
    { stem: 'creatives', key: 'external_id', column: 'creative_ref' },
    { stem: 'vendors', key: 'code', column: 'vendor' },
  ],
  'watcher-summary': [{ stem: 'feeders', key: 'feeder_id', column: 'feeder_id' }],
};

/**
 * Selects current rows that show a changed entity, such as a campaign. A rename cannot express that change, because it only gives another
 * name to an id that the row shows.
 */
const renamedRows = (selection: ChangeSelection, range: NamesRange, after?: Pick<ChangedRow, 'ms' | 'number'>): Sql => {
  const { dataset, network, generation, registry } = selection;
  const isNamed = lookedUp[dataset.name]!.map(({ stem, key, column }) => {
    const changed = rowsOfNetwork(
      registryTables[stem],
      network,
      [isChanged(range)],
      sql`${tableName(registryTables[stem], registry)} FINAL`,
    );
    return sql`${sqlText(column)} IN (SELECT ${sqlText(key)} FROM ${changed})`;
  });
  const isAfter = after && sql`(ts, number) > (${instantSql(after.ms)}, ${numberSql(after.number)})`;
  return rowsOfNetwork(
    dataset.table,
    network,
    [isAfter, joinWithOr(isNamed), isOfSites(selection.siteIds)],
    sql`${tableName(dataset.table, generation)} FINAL`,
  );
};

export const queryRenamedRows = (
  selection: ChangeSelection,
  range: NamesRange,
  after: Pick<ChangedRow, 'ms' | 'number'> | undefined,
  limit: number,
): Sql =>
  sql`SELECT ${changeColumns(selection)} FROM ${renamedRows(selection, range, after)} ORDER BY ts, number LIMIT ${numberSql(limit)}`;

/** Registry tables whose changes clients receive as renames, in this order. */
const renamedKinds = ['networks', 'sites', 'locations', 'devices', 'feeders', 'cameras'] as const;

interface RenamedKind {
  readonly index: number;
  readonly kind: string;
  readonly column: string;
}

export const listRenamedKinds = (columns: readonly { readonly name: string }[]): readonly RenamedKind[] =>
  renamedKinds.flatMap((stem, index) => {
    const kind = stem.slice(0, -1);
    const column = `${kind.toUpperCase()}_NAME`;
    return columns.some(({ name }) => name === column) ? [{ index, kind, column }] : [];
  });

/** Includes entities that changed without a new name. `kind`: index of `renamedKinds`. */
const renames = (
  { network, registry }: ChangeSelection,
  range: NamesRange,
  columns: readonly { readonly name: string }[],
): Sql => {
  const parts = listRenamedKinds(columns).map(({ index, kind }) => {
    const table = registryTables[renamedKinds[index]!];
    const rows = rowsOfNetwork(table, network, [isChanged(range)], sql`${tableName(table, registry)} FINAL`);
    return sql`SELECT ${sqlText(String(index))} AS kind, toFloat64(${sqlText(`${kind}_id`)}) AS id, name FROM ${rows}`;
  });
  return joinWithUnionAll(parts);
};

export const queryRenames = (
  selection: ChangeSelection,
  range: NamesRange,
  after: { readonly kind: number; readonly id: number } | undefined,
  limit: number,
): Sql => {
  const isAfter = after ? sql`(kind, id) > (${numberSql(after.kind)}, ${numberSql(after.id)})` : sql`1`;
  return sql`SELECT kind, id, name FROM (${renames(selection, range, selection.dataset.columns)}) WHERE ${isAfter}
ORDER BY kind, id LIMIT ${numberSql(limit)}`;
};

export const changeFileColumns = {
  OP: 'upsert, delete or rename.',
  KEY: 'The key of the row; 0 of a rename.',
  VERSION:
    'Orders the rows of one file: of those with one key, the one with the highest version counts. Between files, the later file counts: rows that are sent because a name changed keep their version. 0 of a rename.',
  RENAMED_KIND:
    'The kind of entity that is renamed: network, site, location, device, feeder or camera; empty otherwise. After a change of a ' +
    'campaign, strategy, creative, subscription or vendor, its rows are sent again.',
  RENAMED_ID: 'Its id, which rows show in `SITE_ID`, for example; that of a camera in `CAM_ID`.',
  RENAMED_TO: 'Its new name, which rows with the id show in `SITE_NAME`, for example.',
} as const;

/** Selects renames first, then rows that show other changed values, then changed rows. A withdrawn row has its last values. */
export const queryChangesFile = (
  selection: ChangeSelection,
  { renamed, versions }: { readonly renamed: NamesRange | undefined; readonly versions: VersionRange },
  format: 'ndjson' | 'parquet',
): Sql => {
  const ofReport = fileColumns(selection.dataset, format);
  const columns = joinWithCommas(ofReport.map(selectColumn));
  const names = joinWithCommas(ofReport.map(({ name }) => sqlText(name)));
  const own = sql`'' AS RENAMED_KIND, toUInt64(0) AS RENAMED_ID, '' AS RENAMED_TO`;
  const rowsOf = (part: number, rows: Sql, isDelete: Sql) => sql`
SELECT ${numberSql(part)} AS part, version, ts, if(${isDelete}, 'delete', 'upsert') AS OP, toUInt64(number) AS KEY,
  version AS VERSION, ${own}, ${columns} FROM ${rows}`;
  const changed = rowsOf(2, changedRows(selection, versions), isWithdrawn(selection));
  const kinds = joinWithCommas(renamedKinds.map((stem) => sqlText(quoteString(stem.slice(0, -1)))));
  // Without GROUP BY, aggregates of no rows return one row with the default value of each type.
  const noValues = joinWithCommas(ofReport.map(({ name }) => sql`any(${sqlText(name)}) AS ${sqlText(name)}`));
  const none = sql`SELECT ${noValues} FROM (SELECT ${columns} FROM ${changedRows(selection, { from: '0', upTo: 0n })})`;
  const parts = renamed
    ? [
        sql`
SELECT 0 AS part, toUInt64(0) AS version, toDateTime64(0, 3, 'UTC') AS ts, 'rename' AS OP, toUInt64(0) AS KEY, toUInt64(0) AS VERSION,
  [${kinds}][kind + 1] AS RENAMED_KIND, toUInt64(id) AS RENAMED_ID, name AS RENAMED_TO, ${names}
FROM (${renames(selection, renamed, ofReport)}) AS entities CROSS JOIN (${none}) AS none`,
        rowsOf(1, renamedRows(selection, renamed), sql`0`),
        changed,
      ]
    : [changed];
  return sql`SELECT * EXCEPT (part, version, ts) FROM (${joinWithUnionAll(parts)})
ORDER BY part, version, ts, KEY ${sortOnDisk}`;
};

/** Its earliest row only records that the tables were created. */
const shortenedSince = ({ dataset, generation }: Pick<ChangeSelection, 'dataset' | 'generation'>): Sql => sql`
SELECT if(max(since) > min(since), toFloat64(toUnixTimestamp64Milli(max(since))), 0) FROM ${tableName(reportHistory, 1)}
WHERE projection = ${bind('String', dataset.name)} AND kind = 'whole' AND generation = ${numberSql(generation)}`;

/**
 * `pos`: log position that all partitions have written. `pending`: log sequence of the earliest rows that are still to be derived, 0 if
 * none are. `kept_since_ms`: since when all former rows are kept, 0 if none were ever deleted. The progress must come first in the query,
 * because ClickHouse opens tables in that order and a batch records what it postpones before its progress.
 */
export const queryWritten = ({
  dataset,
  derived,
  network,
  generation,
}: Pick<ChangeSelection, 'dataset' | 'derived' | 'network' | 'generation'>): Sql => sql`
SELECT toString((${sqlText(writtenPosition(dataset.name, generation))})) AS pos,
  (SELECT toString(min(pos)) FROM ${tableName(derived.pending, generation)} FINAL
    WHERE network_id <= ${numberSql(network)} AND greatest(network_id, last_network) >= ${numberSql(network)}) AS pending,
  (${shortenedSince({ dataset, generation })}) AS kept_since_ms ${fewRows}`;

export interface LiveSince {
  readonly generation: number;
  readonly version: number;
  /** Log position up to which the generation contained all events when it became live. */
  readonly pos: string;
}

export const queryLiveSince = ({ name }: Dataset): Sql => sql`
SELECT generation, version, toString(pos) AS pos FROM ${tableName(reportHistory, 1)}
WHERE projection = ${bind('String', name)} AND kind = 'live' ORDER BY since DESC ${fewRows}`;
