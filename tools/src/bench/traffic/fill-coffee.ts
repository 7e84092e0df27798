import { coffee } from '@popsvc/read-models/tables';
import { generationTable, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import { openingMs } from './plays.ts';
import { monthMs } from './month.ts';
import { campaigns, creatives, network as standardNetwork, screens, vendor } from './network.ts';

const defaultMsBetween = 2_000;

/** Builds SQL that evaluates to `sql`, except in every third row, which has no person and gets `otherwise`. */
const seen = (sql: string, otherwise: string) => `if(i % 3 = 0, ${otherwise}, ${sql})`;
const text = (sql: string) => seen(sql, `''`);
const atMs = (ms: string) => `fromUnixTimestamp64Milli(toInt64(${ms}), 'UTC')`;
const start = `${openingMs} + i * {msBetween:UInt32}`;
const noInstants = `CAST([] AS Array(DateTime64(3, 'UTC')))`;
const device = `i % ${screens}`;

const values: Record<keyof typeof coffee.fields, string> = {
  network_id: '{network:UInt64}',
  ts: atMs(start),
  number: 'bitAnd(cityHash64(i), 9007199254740991)',
  vendor: `'${vendor}'`,
  event_id: `concat('play-', toString(generateUUIDv4()))`,
  screen_id: `concat('screen-', toString(${device}))`,
  campaign_ref: `concat('C-', toString(i % ${campaigns}))`,
  creative_ref: `concat('CR-', toString(i % ${creatives}))`,
  play_reason: `'scheduled'`,
  duration_ms: '10000',
  device_id: `3000 + ${device}`,
  location_id: `2000 + ${device} % 10`,
  site_id: `1000 + ${device} % 5`,
  site_tz: `'Europe/Berlin'`,
  device_tz: `'Europe/Berlin'`,
  is_business_hour: '1',
  pop_type: seen(`'VIEWER'`, `'UNMEASURED'`),
  detection_vendor: text(`'${vendor}'`),
  detection_id: text(`concat('detection-', toString(i))`),
  feeder_id: '0',
  watcher_id: seen('toInt64(i)', '0'),
  reid: `''`,
  detected_from: atMs(seen(`${start} + 2000`, '0')),
  detected_to: atMs(seen(`${start} + 8000`, '0')),
  gender: text(`if(i % 2 = 0, 'female', 'male')`),
  age: text('toString(20 + i % 50)'),
  age_category: text(`'adult'`),
  mood: text(`'neutral'`),
  distance: seen('[2.4]', 'CAST([] AS Array(Float64))'),
  watch_starts: seen(`[${atMs(`${start} + 3000`)}]`, noInstants),
  watch_ends: seen(`[${atMs(`${start} + 5500`)}]`, noInstants),
  presence_ms: seen('6000', '0'),
  watch_ms: seen('2500', '0'),
  is_impression: seen('1', '0'),
  is_watched: seen('1', '0'),
  is_glance: seen('1', '0'),
  is_view: seen('1', '0'),
  is_view_through: '0',
  play_pos: 'i * 2',
  detection_pos: seen('i * 2 + 1', '0'),
  recorded_at: atMs(`${start} + 12000`),
  projected_at: atMs(`${start} + 12500`),
  valid_from: atMs(`${start} + 12000`),
  version: 'i + 1',
  is_deleted: '0',
};

/** Rows of a network that are spread over a month. */
export const monthOf = (network: number, rows: number) => ({ network, rows, msBetween: Math.floor(monthMs / rows) });

const iso = (ms: number) => new Date(ms).toISOString();

/** Builds the query parameters `from` and `to` for a report that contains all rows. */
export const coffeeWindow = (rows: number, msBetween = defaultMsBetween): string =>
  `from=${iso(openingMs)}&to=${iso(openingMs + rows * msBetween)}`;

/** Builds the query parameter `after` for the page that follows the first `rows` rows. */
export const coffeeAfter = (rows: number, msBetween = defaultMsBetween): string =>
  iso(openingMs + rows * msBetween - 1);

/** Builds the query parameter `after` of a page in the middle of all rows. */
export const coffeeMiddle = (rows: number, msBetween = defaultMsBetween): string =>
  iso(openingMs + Math.floor(rows / 2) * msBetween);

const oneBlock =
  'SETTINGS max_block_size = 10000000, min_insert_block_size_rows = 10000000, min_insert_block_size_bytes = 0';

export interface Filling {
  readonly network?: number;
  readonly rows: number;
  readonly msBetween?: number;
  /**
   * Number of ClickHouse parts to write and leave unmerged; each part contains rows from the whole time range. By default, all
   * rows are merged into one part.
   */
  readonly parts?: number;
}

/** Fills the `coffee` table with generated rows that have the same form as the rows of the projection. */
export const fillCoffee = async (writer: ClickHouseWriter, filling: Filling): Promise<void> => {
  const { network = standardNetwork, rows, msBetween = defaultMsBetween, parts } = filling;
  const table = generationTable(coffee, 1);
  if (parts !== undefined) await writer.run(`SYSTEM STOP MERGES ${writer.database}.${table}`);
  for (let part = 0; part < (parts ?? 1); part += 1)
    await writer.run(
      `INSERT INTO ${table} (${Object.keys(values).join(', ')})
       SELECT ${Object.values(values).join(', ')} FROM (SELECT number AS i FROM numbers({rows:UInt64}) WHERE i % {parts:UInt32} = {part:UInt32})
       ${parts === undefined ? '' : oneBlock}`,
      { params: { network, rows, msBetween, parts: parts ?? 1, part }, timeoutMs: 300_000 },
    );
  if (parts === undefined) await writer.run(`OPTIMIZE TABLE ${table} FINAL`, { timeoutMs: 300_000 });
};
