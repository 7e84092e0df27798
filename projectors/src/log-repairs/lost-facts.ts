import { sequenceOf } from '@popsvc/contracts/events';
import type { Detection, DynamicEvent, Heartbeat, Interval, PopEvent } from '@popsvc/contracts/commands';
import { instantOf } from '@popsvc/contracts/time';
import { generationTable, type ClickHouseWriter, type TableDefinition } from '@popsvc/platform/clickhouse';
import type { ProjectionName } from '@popsvc/read-models/generations';
import { detections, heartbeats, intervals, observations, plays, quarantine } from '@popsvc/read-models/tables';
import type { LogRepair } from './read-log-repairs.ts';

/** SQL condition for the rows whose events are at removed positions. Its parameters are those of `rangeParams`. */
export const isRemovedSql = (sequence: string): string =>
  `(${sequence} >= {lowest:UInt64} AND ${sequence} < {highest:UInt64} AND
    arrayExists((f, t) -> ${sequence} >= f AND ${sequence} < t, {starts:Array(UInt64)}, {ends:Array(UInt64)}))`;

const sequenceText = (position: number): string => sequenceOf(BigInt(position)).toString();

export const lowestPosition = ({ ranges }: LogRepair): number => Math.min(...ranges.map(({ from }) => from));

/** Query parameters of `isRemovedSql`. */
export const rangeParams = (repair: LogRepair) => ({
  lowest: sequenceText(lowestPosition(repair)),
  highest: sequenceText(Math.max(...repair.ranges.map(({ to }) => to))),
  starts: `[${repair.ranges.map(({ from }) => sequenceText(from)).join(',')}]`,
  ends: `[${repair.ranges.map(({ to }) => sequenceText(to)).join(',')}]`,
});

/** A fact in the form in which its vendor sends it, and who sent it. */
export interface LostFact {
  readonly kind: 'plays' | 'dynamic' | 'detections' | 'heartbeats' | 'intervals';
  readonly network_id: number;
  readonly vendor: string;
  /** The vendor's schema of a dynamic event. */
  readonly schema_version?: string;
  readonly item: object;
}

/** ClickHouse returns 64-bit integers as numbers or as strings, depending on its settings. */
type Whole = number | string;
const instant = (ms: Whole): string => instantOf(Number(ms));
const instantOrNull = (ms: Whole | null): string | null => (ms === null ? null : instant(ms));
const ms = (column: string): string => `toUnixTimestamp64Milli(${column})`;
/** A field with a value, or nothing if the column has the value that means "not sent". */
const sent = <Name extends string, Value>(name: Name, value: Value, absent: Value) =>
  (value === absent ? {} : { [name]: value }) as { [Key in Name]?: Value };

interface FactSource {
  readonly kind: LostFact['kind'];
  readonly projection: ProjectionName;
  readonly table: TableDefinition;
  readonly columns: string;
  readonly where?: string;
  readonly toItem: (row: never) => object;
}

interface PlayRow {
  readonly event_id: string;
  readonly screen_id: string;
  readonly site_ref: string;
  readonly campaign_ref: string;
  readonly creative_ref: string;
  readonly play_reason: string;
  readonly played_ms: Whole;
  readonly duration: Whole;
  readonly payload: string;
}

const toPlay = (row: PlayRow): PopEvent => ({
  eventId: row.event_id,
  screenId: row.screen_id,
  ...sent('siteId', row.site_ref, ''),
  campaignId: row.campaign_ref,
  creativeId: row.creative_ref,
  playedAt: instant(row.played_ms),
  durationMs: Number(row.duration),
  ...sent('startReason', row.play_reason, 'unknown'),
  ...(row.payload === '' ? {} : (JSON.parse(row.payload) as object)),
});

interface DetectionRow {
  readonly detection_id: string;
  readonly revision: Whole;
  readonly device_id: Whole;
  readonly feeder_id: Whole;
  readonly camera_id: Whole;
  readonly watcher_id: Whole;
  readonly reid: string;
  readonly started_ms: Whole;
  readonly ended_ms: Whole;
  readonly gender: string;
  readonly age: string;
  readonly age_category: string;
  readonly mood: string;
  readonly distance: readonly number[];
  readonly watched_from: readonly Whole[];
  readonly watched_to: readonly Whole[];
  readonly population: Detection['population'];
}

const toDetection = (row: DetectionRow): Detection => ({
  detectionId: row.detection_id,
  revision: Number(row.revision),
  deviceId: Number(row.device_id),
  ...sent('feederId', Number(row.feeder_id), 0),
  ...sent('cameraId', Number(row.camera_id), 0),
  watcherId: Number(row.watcher_id),
  ...sent('reid', row.reid, ''),
  startedAt: instant(row.started_ms),
  endedAt: instant(row.ended_ms),
  ...sent('gender', row.gender, 'unknown'),
  ...sent('age', row.age, ''),
  ...sent('ageCategory', row.age_category, 'unknown'),
  ...sent('mood', row.mood, 'unknown'),
  distance: [...row.distance],
  watches: row.watched_from.map((from, index) => ({
    startedAt: instant(from),
    endedAt: instant(row.watched_to[index]!),
  })),
  population: row.population,
});

interface HeartbeatRow {
  readonly device_id: Whole;
  readonly feeder_id: Whole;
  readonly app: string;
  readonly state: string;
  readonly at_ms: Whole;
}

const toHeartbeat = (row: HeartbeatRow): Heartbeat => ({
  ...sent('deviceId', Number(row.device_id), 0),
  ...sent('feederId', Number(row.feeder_id), 0),
  ...sent('appCode', row.app, ''),
  ...(sent('state', row.state, '') as Pick<Heartbeat, 'state'>),
  at: instant(row.at_ms),
});

interface IntervalRow {
  readonly device_id: Whole;
  readonly app: string;
  readonly state: Interval['state'];
  readonly started_ms: Whole;
  readonly ended_ms: Whole | null;
  readonly heartbeat_ms: Whole | null;
  readonly revision: Whole;
}

const toInterval = (row: IntervalRow): Interval => ({
  deviceId: Number(row.device_id),
  appCode: row.app,
  state: row.state,
  startedAt: instant(row.started_ms),
  endedAt: instantOrNull(row.ended_ms),
  lastHeartbeatAt: instantOrNull(row.heartbeat_ms),
  revision: Number(row.revision),
});

const detectionColumns = `detection_id, revision, device_id, feeder_id, camera_id, watcher_id, reid, gender, age, age_category, mood,
  distance, population, ${ms('started_at')} AS started_ms, ${ms('ended_at')} AS ended_ms,
  arrayMap(t -> ${ms('t')}, watch_starts) AS watched_from, arrayMap(t -> ${ms('t')}, watch_ends) AS watched_to`;

/**
 * The tables whose rows contain whole facts. Two projections store each detection; the second one is read for those that the first
 * one lacks. Released dynamic events are read as plays.
 */
const sources: readonly FactSource[] = [
  {
    kind: 'plays',
    projection: 'coffee',
    table: plays,
    columns: `event_id, screen_id, site_ref, campaign_ref, creative_ref, play_reason, payload, duration_ms AS duration, ${ms('played_at')} AS played_ms`,
    toItem: toPlay,
  },
  {
    kind: 'dynamic',
    projection: 'coffee',
    table: quarantine,
    columns: 'schema_version, raw',
    where: `state = 'waiting'`,
    toItem: ({ raw }: { readonly raw: string }) => JSON.parse(raw) as DynamicEvent,
  },
  { kind: 'detections', projection: 'coffee', table: detections, columns: detectionColumns, toItem: toDetection },
  {
    kind: 'detections',
    projection: 'watcher-summary',
    table: observations,
    columns: detectionColumns,
    toItem: toDetection,
  },
  {
    kind: 'heartbeats',
    projection: 'uptime',
    table: heartbeats,
    columns: `device_id, feeder_id, app, state, ${ms('at')} AS at_ms`,
    toItem: toHeartbeat,
  },
  {
    kind: 'intervals',
    projection: 'uptime',
    table: intervals,
    columns: `device_id, app, state, revision, ${ms('started_at')} AS started_ms, ${ms('ended_at')} AS ended_ms, ${ms('last_heartbeat_at')} AS heartbeat_ms`,
    toItem: toInterval,
  },
];

const pageRows = 10_000;
const timeoutMs = 600_000;

interface PageRow {
  readonly sequence: string;
  readonly network: Whole;
  readonly sender: string;
  readonly schema_version?: string;
}

/**
 * Reads the facts at removed positions, in pages. `generationOf` returns the live generation of a projection. `onUnreadable` is
 * called for each table that cannot be read to its end; the facts of the others are still returned.
 */
export async function* readLostFacts(
  writer: Pick<ClickHouseWriter, 'rows'>,
  repair: LogRepair,
  generationOf: (projection: ProjectionName) => number | undefined,
  onUnreadable: (table: string, error: unknown) => void,
): AsyncGenerator<readonly LostFact[]> {
  const read = new Set<string>();
  for (const { kind, projection, table, columns, where = '1', toItem } of sources) {
    const generation = generationOf(projection);
    if (generation === undefined) continue;
    const name = generationTable(table, generation);
    const sql = `SELECT toString(pos) AS sequence, network_id AS network, vendor AS sender, ${columns} FROM ${name} FINAL
      WHERE ${isRemovedSql('pos')} AND pos > {after:UInt64} AND ${where} ORDER BY pos LIMIT ${pageRows}`;
    for (let after = '0'; ;) {
      let rows: PageRow[];
      let facts: LostFact[];
      try {
        rows = await writer.rows<PageRow>(sql, { params: { ...rangeParams(repair), after }, timeoutMs });
        facts = rows
          .filter(({ sequence }) => !read.has(sequence))
          .map((row) => ({
            kind,
            network_id: Number(row.network),
            vendor: row.sender,
            ...(row.schema_version === undefined ? {} : { schema_version: row.schema_version }),
            item: toItem(row as never),
          }));
      } catch (error) {
        onUnreadable(table.name, error);
        break;
      }
      yield facts;
      for (const { sequence } of rows) read.add(sequence);
      if (rows.length < pageRows) break;
      after = rows.at(-1)!.sequence;
    }
  }
}
