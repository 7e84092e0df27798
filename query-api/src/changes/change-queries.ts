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

/** The tables and rows whose changes are read. */
export interface ChangeSelection {
  readonly dataset: Dataset;
  readonly derived: DerivedTable;
  readonly network: number;
  readonly generation: number;
  readonly registry: number;
  /** Only changes of rows that belong or belonged to these sites; all if it is empty. */
  readonly siteIds: readonly number[];
}

/** Returns the condition for rows that belong, or belonged, to one of the sites; undefined for all sites. */
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

/** The columns that a query of changes selects: the version as text, whether the row is withdrawn, then the columns of a page. */
const changeColumns = (selection: ChangeSelection): Sql =>
  sql`toString(version) AS version_text, toUInt64(${isWithdrawn(selection)}) AS is_withdrawn, ts, number,
  ${sqlText(selection.dataset.page.columns.join(', '))}`;

/** The last row of the changes that was read. */
export interface ChangedRow {
  readonly version: string;
  readonly ms: number;
  readonly number: number;
}

/** The rows to read: those with a version above `from`, or those that follow the row `after` if it is given, up to the version `upTo`. */
export interface VersionRange {
  readonly from: string;
  readonly after?: ChangedRow | undefined;
  readonly upTo: bigint;
}

/** Returns what follows FROM for the versions of rows in a range. */
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

/** Selects the rows with versions in a range, in the order in which the projection wrote them. */
export const queryChangedRows = (selection: ChangeSelection, range: VersionRange, limit: number): Sql => sql`
SELECT ${changeColumns(selection)} FROM ${changedRows(selection, range)}
ORDER BY version, ts, number LIMIT 1 BY version, ts, number LIMIT ${numberSql(limit)}`;

/** When names changed: in (fromMs, toMs], ms since 1970. */
export interface NamesRange {
  readonly fromMs: number;
  readonly toMs: number;
}

const isChanged = ({ fromMs, toMs }: NamesRange): Sql =>
  sql`changed_at > ${instantSql(fromMs)} AND changed_at <= ${instantSql(toMs)}`;

/**
 * By dataset, the columns of a row by which values of the registry are looked up. `stem` and `key`: the table that contains these values,
 * and its column that equals `column`.
 */
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
 * Returns what follows FROM for the current rows that show values of changed entities in `lookedUp`. These changes are not sent as
 * renames, because no id in a row identifies these entities.
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

/** Selects the rows of `renamedRows` that follow the row `after`, with the columns of changes. */
export const queryRenamedRows = (
  selection: ChangeSelection,
  range: NamesRange,
  after: Pick<ChangedRow, 'ms' | 'number'> | undefined,
  limit: number,
): Sql =>
  sql`SELECT ${changeColumns(selection)} FROM ${renamedRows(selection, range, after)} ORDER BY ts, number LIMIT ${numberSql(limit)}`;

/** Kinds of entities that rows show by id and name, in the order of their renames. */
const renamedKinds = ['networks', 'sites', 'locations', 'devices', 'feeders', 'cameras'] as const;

interface RenamedKind {
  readonly index: number;
  readonly kind: string;
  readonly column: string;
}

/** Lists the kinds whose names the rows of a dataset show. */
export const listRenamedKinds = ({ columns }: Dataset): readonly RenamedKind[] =>
  renamedKinds.flatMap((stem, index) => {
    const kind = stem.slice(0, -1);
    const column = `${kind.toUpperCase()}_NAME`;
    return columns.some(({ name }) => name === column) ? [{ index, kind, column }] : [];
  });

/** Selects the entities that were registered or renamed: `kind` (an index of `renamedKinds`), `id` and `name`. */
const renames = ({ dataset, network, registry }: ChangeSelection, range: NamesRange): Sql => {
  const parts = listRenamedKinds(dataset).map(({ index, kind }) => {
    const table = registryTables[renamedKinds[index]!];
    const rows = rowsOfNetwork(table, network, [isChanged(range)], sql`${tableName(table, registry)} FINAL`);
    return sql`SELECT ${sqlText(String(index))} AS kind, toFloat64(${sqlText(`${kind}_id`)}) AS id, name FROM ${rows}`;
  });
  return joinWithUnionAll(parts);
};

/** Selects the entities that were registered or renamed and follow `after`, sorted by kind and id. */
export const queryRenames = (
  selection: ChangeSelection,
  range: NamesRange,
  after: { readonly kind: number; readonly id: number } | undefined,
  limit: number,
): Sql => {
  const isAfter = after ? sql`(kind, id) > (${numberSql(after.kind)}, ${numberSql(after.id)})` : sql`1`;
  return sql`SELECT kind, id, name FROM (${renames(selection, range)}) WHERE ${isAfter}
ORDER BY kind, id LIMIT ${numberSql(limit)}`;
};

/** The columns of a file of changes that precede those of the report, each with its description. */
export const changeFileColumns = {
  OP: 'upsert, delete or rename.',
  KEY: 'The key of the row; 0 of a rename.',
  VERSION: 'Of several rows of a file with one key, the one with the highest version counts; 0 of a rename.',
  RENAMED_KIND:
    'The kind of entity that is renamed: network, site, location, device, feeder or camera; empty otherwise.',
  RENAMED_ID: 'Its id, which rows show in `SITE_ID`, for example; that of a camera in `CAM_ID`.',
  RENAMED_TO: 'Its new name, which rows with the id show in `SITE_NAME`, for example.',
} as const;

/**
 * Selects all changes of a file: new names, then rows that show them, then changed rows. A rename has no values of the report, a withdrawn
 * row its last ones.
 */
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
  // An aggregate of no row has the default value of each type.
  const noValues = joinWithCommas(ofReport.map(({ name }) => sql`any(${sqlText(name)}) AS ${sqlText(name)}`));
  const none = sql`SELECT ${noValues} FROM (SELECT ${columns} FROM ${changedRows(selection, { from: '0', upTo: 0n })})`;
  const parts = renamed
    ? [
        sql`
SELECT 0 AS part, toUInt64(0) AS version, toDateTime64(0, 3, 'UTC') AS ts, 'rename' AS OP, toUInt64(0) AS KEY, toUInt64(0) AS VERSION,
  [${kinds}][kind + 1] AS RENAMED_KIND, toUInt64(id) AS RENAMED_ID, name AS RENAMED_TO, ${names}
FROM (${renames(selection, renamed)}) AS entities CROSS JOIN (${none}) AS none`,
        rowsOf(1, renamedRows(selection, renamed), sql`0`),
        changed,
      ]
    : [changed];
  return sql`SELECT * EXCEPT (part, version, ts) FROM (${joinWithUnionAll(parts)})
ORDER BY part, version, ts, KEY ${sortOnDisk}`;
};

/**
 * Selects how far the partitions of a generation have written (`pos`, the lowest), and the first pending item of the network (`pending`,
 * 0 if none). Rows that were lost are pending, too. ClickHouse opens the tables in the order of the text, so it reads the progress first:
 * a batch writes the ranges that it puts off before its progress.
 */
export const queryWritten = ({
  dataset,
  derived,
  network,
  generation,
}: Pick<ChangeSelection, 'dataset' | 'derived' | 'network' | 'generation'>): Sql => sql`
SELECT toString((${sqlText(writtenPosition(dataset.name, generation))})) AS pos,
  (SELECT toString(min(pos)) FROM ${tableName(derived.pending, generation)} FINAL
    WHERE network_id <= ${numberSql(network)} AND greatest(network_id, last_network) >= ${numberSql(network)}) AS pending ${fewRows}`;

export interface LiveSince {
  readonly generation: number;
  /** Version of the projection that built it. */
  readonly version: number;
  /** Log position up to which it had everything. */
  readonly pos: string;
}

/** Selects the generations that became live, the newest first. */
export const queryLiveSince = ({ name }: Dataset): Sql => sql`
SELECT generation, version, toString(pos) AS pos FROM ${tableName(reportHistory, 1)}
WHERE projection = ${bind('String', name)} AND kind = 'live' ORDER BY since DESC ${fewRows}`;
