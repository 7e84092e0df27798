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

/** Rejects until the projectors, which may run an older version, have created the views and columns that this version reads. */
export const createSchemaCheck = (reader: ClickHouseReader): (() => Promise<void>) => {
  let validUntil = 0;
  return async () => {
    if (performance.now() < validUntil) return;
    // The check `clickhouse` reports an unavailable ClickHouse.
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
 * Rejects until the projectors have verified the tables after the last start of ClickHouse. Only degraded while damaged tables are rebuilt,
 * because other reports are available.
 */
export const createReadModelsCheck = (reader: ClickHouseReader) => async (): Promise<unknown> => {
  // The checks `clickhouse` and `schema` report these failures.
  const state = await readReadableState(reader).catch(() => undefined);
  if (!state) return undefined;
  if (state.run === undefined)
    throw new NotReadyError('the projectors have not verified the tables since ClickHouse started');
  const isLive = (name: string) => name === withoutGeneration(name);
  const tables = [...state.unreadable].flatMap(([name, reason]) => (reason === 'damage' && isLive(name) ? [name] : []));
  const damaged = new Set([...tables, ...state.damagedRanges.map(({ name }) => name)]);
  return damaged.size === 0 ? undefined : degraded(`damaged and being rebuilt: ${[...damaged].join(', ')}`);
};
