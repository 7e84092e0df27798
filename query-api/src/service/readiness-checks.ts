import { type ClickHouseReader, columnsOf, sql, withoutGeneration } from '@popsvc/platform/clickhouse';
import { degraded, NotReadyError } from '@popsvc/platform/runtime';
import { readReadableState } from '@popsvc/read-models/generations';
import {
  bulkJobs,
  coffee,
  currentIntervals,
  derivedCoffee,
  derivedWatcherSummary,
  heartbeats,
  liveGenerationsView,
  liveness,
  plays,
  quarantine,
  receipts,
  registryTables,
  screenPlaces,
  vendorBalance,
  watcherSummary,
} from '@popsvc/read-models/tables';

/** A table or view that this service reads, with its columns. */
interface Relation {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

const relations: readonly Relation[] = [
  {
    name: liveGenerationsView.name,
    fields: { projection: '', generation: '', tables_id: '', shards: '', partitions: '' },
  },
  ...[derivedCoffee, derivedWatcherSummary].flatMap(({ pending, history }) => [
    pending,
    { name: history.name, fields: columnsOf(history) },
  ]),
  { name: 'incomplete', fields: { name: '', reason: '' } },
  { name: 'damaged_ranges', fields: { name: '', network_id: '', from_at: '', to_at: '' } },
  ...[coffee, watcherSummary].map((table) => ({ name: table.name, fields: columnsOf(table) })),
  ...[plays, screenPlaces, receipts, quarantine, heartbeats, currentIntervals, liveness, vendorBalance, bulkJobs],
  ...Object.values(registryTables),
];

const columnsQuery = sql`SELECT table, groupArray(name) AS names FROM system.columns
  WHERE database = currentDatabase() AND endsWith(table, '_live') GROUP BY table`;

const successCacheMs = 30_000;

/**
 * Creates a readiness check that fails until the projectors have created the tables, views and columns in `relations`: they may not have
 * started yet or may run an older version. The check rejects with the name of the first missing one.
 */
export const createSchemaCheck = (reader: ClickHouseReader): (() => Promise<void>) => {
  let validUntil = 0;
  return async () => {
    if (performance.now() < validUntil) return;
    // If ClickHouse is unavailable, this check passes; the readiness check `clickhouse` reports that.
    const rows = await reader.rows<{ table: string; names: readonly string[] }>(columnsQuery).catch(() => undefined);
    if (!rows) return;
    const columnsByView = new Map(rows.map(({ table, names }) => [table, new Set(names)]));
    for (const { name, fields } of relations) {
      const columns = columnsByView.get(`${name}_live`);
      const missing = columns ? Object.keys(fields).find((field) => !columns.has(field)) : '';
      if (missing !== undefined)
        throw new NotReadyError(`the projectors have not created ${missing === '' ? name : `${name}.${missing}`} yet`);
    }
    validUntil = performance.now() + successCacheMs;
  };
};

/**
 * Creates a readiness check that fails until the projectors have verified the tables after the last start of ClickHouse. The check is
 * degraded while damaged tables are rebuilt, because other reports are available. Damaged tables of former generations do not count,
 * because reports as of now do not read them.
 */
export const createReadModelsCheck = (reader: ClickHouseReader) => async (): Promise<unknown> => {
  // If ClickHouse or the list of damaged tables is unavailable, this check passes; the checks `clickhouse` and `schema` report that.
  const state = await readReadableState(reader).catch(() => undefined);
  if (!state) return undefined;
  if (state.run === undefined)
    throw new NotReadyError('the projectors have not verified the tables since ClickHouse started');
  const isLive = (name: string) => name === withoutGeneration(name);
  const tables = [...state.unreadable].flatMap(([name, reason]) => (reason === 'damage' && isLive(name) ? [name] : []));
  const damaged = new Set([...tables, ...state.damagedRanges.map(({ name }) => name)]);
  return damaged.size === 0 ? undefined : degraded(`damaged and being rebuilt: ${[...damaged].join(', ')}`);
};
