import {
  coffee,
  heartbeats,
  liveness,
  plays,
  quarantine,
  registryTables,
  currentIntervals,
  watcherSummary,
} from '@popsvc/read-models/tables';
import { NotReadyError } from '@popsvc/platform/http';
import { type ClickHouseReader, sql } from '@popsvc/platform/clickhouse';

interface Relation {
  readonly name: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What is read here, with the columns that this build may ask for. */
const relations: readonly Relation[] = [
  { name: 'progress', fields: { projection: '', generation: '', pos: '', as_of: '', tables_id: '' } },
  { name: 'incomplete', fields: { name: '' } },
  ...[coffee, watcherSummary, plays, quarantine, heartbeats, currentIntervals, liveness],
  ...Object.values(registryTables),
];

interface Columns {
  readonly table: string;
  readonly names: readonly string[];
}

const columnsQuery = sql`SELECT table, groupArray(name) AS names FROM system.columns
  WHERE database = currentDatabase() AND endsWith(table, '_live') GROUP BY table`;

const believedMs = 30_000;

/**
 * Whether the projectors have made what this build reads; they may be of an older build, or not have begun. Rejects with the
 * name of the first that is missing; reports that read it are refused until then.
 */
export const schemaCheck = (reader: ClickHouseReader): (() => Promise<void>) => {
  let goodUntil = 0;
  return async () => {
    if (performance.now() < goodUntil) return;
    // A ClickHouse that does not answer is told as that.
    const rows = await reader.rows<Columns>(columnsQuery).catch(() => undefined);
    if (!rows) return;
    const there = new Map(rows.map(({ table, names }) => [table, new Set(names)]));
    for (const { name, fields } of relations) {
      const found = there.get(`${name}_live`);
      const column = found && Object.keys(fields).find((field) => !found.has(field));
      if (!found || column !== undefined)
        throw new NotReadyError(
          `the projectors have not made ${column === undefined ? name : `${name}.${column}`} yet`,
        );
    }
    goodUntil = performance.now() + believedMs;
  };
};
