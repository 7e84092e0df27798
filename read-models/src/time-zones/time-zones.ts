import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { listOffsetRanges, timeZoneVersion, zoneNames } from '@popsvc/contracts/time-zones';
import {
  type ClickHouseWriter,
  compileRowBinary,
  createTable,
  defineTable,
  field,
  generationTable,
  isDataDamaged,
  quoteString,
  type Row,
  untilReplicated,
} from '@popsvc/platform/clickhouse';

/** The table has only one generation, because no projection writes to it. */
export const timeZones = defineTable({
  name: 'time_zones',
  about: 'Offsets of time zones from UTC. The projectors write them at their start, from the data of moment-timezone.',
  orderBy: ['version', 'zone', 'from_ms'],
  replacing: {},
  fields: {
    version: field('LowCardinality(String)', 'Version of the time zone data, such as 2026f.'),
    zone: field('LowCardinality(String)', 'Name of the zone, also of one that is a link to another.'),
    from_ms: field('Int64', 'First instant with this offset, in ms since 1970.'),
    to_ms: field('Int64', 'Last instant with this offset, in ms since 1970.'),
    offset_seconds: field('Int64', 'Seconds that local time is ahead of UTC.'),
  },
});

const table = generationTable(timeZones, 1);

/** The table leaves out changes of offsets before this time. */
const firstMs = Date.UTC(1970, 0, 1);
export const timeZonesEndMs = Date.UTC(2070, 0, 1);
/** The times that a DateTime64 supports: the years 1900 to 2299. */
const [leastMs, mostMs] = [Date.UTC(1900, 0, 1), Date.UTC(2300, 0, 1) - 1];

const listRows = (): readonly Row[] =>
  zoneNames.flatMap((zone) =>
    listOffsetRanges(zone)
      .filter(({ fromMs, toMs }) => toMs > firstMs && fromMs < timeZonesEndMs)
      .map(({ fromMs, toMs, offsetMs }) => ({
        version: timeZoneVersion,
        zone,
        from_ms: fromMs <= firstMs ? leastMs : fromMs,
        to_ms: toMs >= timeZonesEndMs ? mostMs : toMs - 1,
        offset_seconds: offsetMs / 1_000,
      })),
  );

/** The sums are texts, because a number of JavaScript cannot hold them exactly. */
interface Content {
  readonly rows: string;
  readonly times: string;
  readonly offsets: string;
}

const contentOf = (rows: readonly Row[]): Content => {
  const sum = (valueOf: (row: Row) => bigint) => String(rows.reduce((all, row) => all + valueOf(row), 0n));
  const numberOf = (row: Row, name: string) => BigInt(row[name] as number);
  return {
    rows: String(rows.length),
    times: sum((row) => numberOf(row, 'from_ms') + numberOf(row, 'to_ms')),
    offsets: sum((row) => numberOf(row, 'offset_seconds') * (numberOf(row, 'from_ms') / 1_000n)),
  };
};

const contentSql = `SELECT toString(count()) AS rows, toString(sum(toInt128(from_ms) + to_ms)) AS times,
    toString(sum(toInt128(offset_seconds) * intDiv(from_ms, 1000))) AS offsets
  FROM ${table} FINAL WHERE version = {version:String}`;

/** Computed once: all databases have the same rows, and computing them takes long. */
let computed: { readonly rows: readonly Row[]; readonly content: Content } | undefined;
const computeRows = () => {
  if (!computed) {
    const rows = listRows();
    computed = { rows, content: contentOf(rows) };
  }
  return computed;
};

const readContent = async (writer: ClickHouseWriter): Promise<Content | undefined> => {
  const [found] = await writer.rows<Content>(contentSql, { params: { version: timeZoneVersion } });
  return found?.rows === '0' ? undefined : found;
};

/** Damaged files are no loss, because the rows can be written again. Undefined if the table has no rows of this version. */
const ensureTable = async (writer: ClickHouseWriter): Promise<Content | undefined> => {
  await writer.run(createTable(timeZones, 1, writer));
  await untilReplicated(writer, table);
  try {
    return await readContent(writer);
  } catch (error) {
    if (!isDataDamaged(error)) throw error;
    await writer.run(`DROP TABLE ${table} SYNC`);
    await writer.run(createTable(timeZones, 1, writer));
    await untilReplicated(writer, table);
    return undefined;
  }
};

const writeRows = async (writer: ClickHouseWriter, stored: Content | undefined): Promise<void> => {
  if (stored)
    await writer.run(`ALTER TABLE ${table} DELETE WHERE version = {version:String}`, {
      params: { version: timeZoneVersion },
    });
  const batch = compileRowBinary(timeZones.fields)();
  for (const row of computeRows().rows) batch.add(row);
  await writer.insert({ table, columns: Object.keys(timeZones.fields), body: batch.body(), token: randomUUID() });
};

export const timeZoneDictionary = 'dict_time_zones';

/**
 * A look-up in ranges costs about as much as `formatDateTime` with a zone. Arrays of each zone's changes would cost thirty times as much
 * (`npm run bench -- time-zones`).
 */
const createTimeZoneDictionary = ({
  database,
  credentials: { username, password },
  cluster,
}: Pick<ClickHouseWriter, 'database' | 'credentials' | 'cluster'>): string => {
  // A replica that is behind must not load older ranges.
  const consistency = cluster === undefined ? '' : ' SETTINGS select_sequential_consistency = 1';
  const query =
    `SELECT zone, from_ms, to_ms, offset_seconds FROM ${database}.${table} FINAL ` +
    `WHERE version = ${quoteString(timeZoneVersion)}${consistency}`;
  return [
    `CREATE OR REPLACE DICTIONARY ${timeZoneDictionary} (zone String, from_ms Int64, to_ms Int64, offset_seconds Int64)`,
    'PRIMARY KEY zone',
    `SOURCE(CLICKHOUSE(USER ${quoteString(username)} PASSWORD ${quoteString(password)} DB ${quoteString(database)}`,
    `QUERY ${quoteString(query)}))`,
    'LAYOUT(COMPLEX_KEY_RANGE_HASHED()) RANGE(MIN from_ms MAX to_ms) LIFETIME(0)',
    `COMMENT ${quoteString(timeZoneVersion)}`,
  ].join('\n');
};

const dictionarySql = `SELECT comment FROM system.tables
  WHERE database = currentDatabase() AND engine = 'Dictionary' AND name = '${timeZoneDictionary}'`;

/** Undefined if there is no dictionary. */
export const readTimeZoneVersion = async (writer: ClickHouseWriter): Promise<string | undefined> => {
  const [found] = await writer.rows<{ comment: string }>(dictionarySql, { timeoutMs: 3_000 });
  return found?.comment;
};

/** Queries of local times need the dictionary, and so does the creation of the analysts' views. */
export const ensureTimeZones = async (writer: ClickHouseWriter): Promise<void> => {
  const stored = await ensureTable(writer);
  if (!isDeepStrictEqual(stored, computeRows().content)) await writeRows(writer, stored);
  await writer.run(createTimeZoneDictionary(writer));
};
