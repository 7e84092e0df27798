import { type ServiceConnection, withTemporaryClient } from '@popsvc/cli/service-client';
import { createClient, type PopsvcClient, windows } from '@popsvc/client';
import { parse } from 'csv-parse';
import type { TrafficOptions } from './deliveries.ts';
import { playKey, type SentEvents } from './sent.ts';
import type { World } from './world.ts';

/** A feeder counts as online for a play if it sent a heartbeat during the play or at most this long before it. */
const onlineWindowMs = 300_000;

/** Returns a function that checks whether the feeder of a device was online in [fromMs, toMs). A feeder has the same id as its device. */
const createHeartbeatIndex = (heartbeats: ReadonlyMap<number, readonly number[]>) => {
  const sorted = new Map([...heartbeats].map(([feeder, times]) => [feeder, Float64Array.from(times).sort()]));
  return (device: number, fromMs: number, toMs: number): boolean => {
    const times = sorted.get(device);
    if (!times) return false;
    let [low, high] = [0, times.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle]! < fromMs - onlineWindowMs) low = middle + 1;
      else high = middle;
    }
    return low < times.length && times[low]! < toMs;
  };
};

/** Comparison of a report with the plays that were sent. */
interface ReportCounts {
  readonly rows: number;
  /** Rows with a person in front of the screen. */
  readonly seen_rows: number;
  /** Plays that were sent and are in the report. */
  readonly found: number;
  /** Plays that were sent and are not in the report. */
  readonly missing: number;
  /** Plays in the report that have the tag of this run but were never sent. */
  readonly unexpected: number;
  /** Rows with the `DETAILID` of an earlier row, and plays that have a row without a person and also rows with one. */
  readonly repeated: number;
  /** Rows where a flag is set but another flag that it implies is not. */
  readonly bad_flags: number;
  /** Rows with `NONE`: no person was detected while a feeder of the device was online. */
  readonly none_rows: number;
  /** Rows with `UNMEASURED` although a feeder of the device was online. */
  readonly wrongly_unmeasured: number;
}

/** Each flag implies the ones after it. */
const nestedFlags = ['IS_VIEW_THROUGH', 'IS_VIEW', 'IS_GLANCE', 'IS_WATCHED'] as const;
const requiredColumns = [
  'MEDIA_PLAYER_NAME',
  'EVENT_ID',
  'WATCHERID',
  'DETAILID',
  'POP_TYPE',
  'DEVICE_ID',
  'DT_START_SITE_TZ',
  'PLAYOUT',
  'IS_IMPRESSION',
  ...nestedFlags,
] as const;
type RequiredColumn = (typeof requiredColumns)[number];

const flagsNest = (get: (name: RequiredColumn) => string): boolean => {
  const flags = nestedFlags.map((name) => get(name) === '1');
  const inOrder = flags.every((flag, index) => !flag || index === flags.length - 1 || flags[index + 1]);
  return inOrder && (get('IS_GLANCE') !== '1' || get('IS_IMPRESSION') === '1');
};

/**
 * Creates a checker that compares the rows of a `coffee` download with the plays that were sent. It ignores the plays of other
 * runs.
 */
export const createRowChecker = (
  { plays: sent, heartbeats }: Pick<SentEvents, 'plays' | 'heartbeats'>,
  tag: string,
) => {
  const wasOnline = createHeartbeatIndex(heartbeats);
  const details = new Set<string>();
  const [seen, unseen] = [new Set<string>(), new Set<string>()];
  const unexpected = new Set<string>();
  const counts = { rows: 0, seen_rows: 0, bad_flags: 0, none_rows: 0, wrongly_unmeasured: 0 };

  const check = async (lines: AsyncIterable<readonly string[]>): Promise<void> => {
    let columns: ReadonlyMap<string, number> | undefined;
    for await (const line of lines) {
      if (!columns) {
        columns = new Map(line.map((name, index) => [name, index]));
        const missing = requiredColumns.filter((name) => !columns?.has(name));
        if (missing.length > 0) throw new Error(`The report has no column ${missing.join(', ')}`);
        continue;
      }
      const known = columns;
      const get = (name: RequiredColumn): string => line[known.get(name)!] ?? '';
      counts.rows += 1;
      if (get('WATCHERID') !== '') counts.seen_rows += 1;
      details.add(get('DETAILID'));
      if (!flagsNest(get)) counts.bad_flags += 1;
      if (get('POP_TYPE') === 'NONE') counts.none_rows += 1;
      const [start, length] = [Date.parse(get('DT_START_SITE_TZ')), Number(get('PLAYOUT')) * 1_000];
      if (get('POP_TYPE') === 'UNMEASURED' && wasOnline(Number(get('DEVICE_ID')), start, start + length))
        counts.wrongly_unmeasured += 1;
      const key = playKey(get('MEDIA_PLAYER_NAME'), get('EVENT_ID'));
      if (sent.has(key)) (get('WATCHERID') === '' ? unseen : seen).add(key);
      else if (get('EVENT_ID').startsWith(`${tag}-`)) unexpected.add(key);
    }
  };

  const result = (): ReportCounts => {
    const both = [...unseen].filter((key) => seen.has(key)).length;
    const found = seen.size + unseen.size - both;
    return {
      ...counts,
      found,
      missing: sent.size - found,
      unexpected: unexpected.size,
      repeated: counts.rows - details.size + both,
    };
  };
  return { check, result };
};

interface CoffeeWindow {
  readonly network: string;
  readonly from: string;
  readonly to: string;
}

/** Downloads the `coffee` dataset as CSV and streams its rows; the first row contains the column names. */
async function* readCoffeeRows(client: PopsvcClient, window: CoffeeWindow): AsyncGenerator<readonly string[]> {
  const { body } = await client.streamCoffee(window);
  const lines = parse();
  // An interrupted transfer must raise an error, because its rows would otherwise pass for a complete download.
  body.once('error', (error) => lines.destroy(error)).pipe(lines);
  yield* lines as AsyncIterable<readonly string[]>;
}

export interface NetworkReport extends ReportCounts {
  readonly network_id: number;
  readonly ok: boolean;
}

/** Downloads the `coffee` dataset the way a partner would and compares it with the events that were sent. */
export const verifyReports = async (
  { networks }: World,
  options: TrafficOptions,
  sent: ReadonlyMap<number, SentEvents>,
  { ops, service }: ServiceConnection,
): Promise<readonly NetworkReport[]> => {
  const ids = networks.map(({ id }) => id);
  return withTemporaryClient(ops, ids, 'simulation', async (credentials) => {
    const client = createClient({ baseUrl: service.queryUrl, tokenUrl: service.tokenUrl, ...credentials });
    const reports: NetworkReport[] = [];
    for (const { id, name } of networks) {
      const { check, result } = createRowChecker(
        sent.get(id) ?? { plays: new Set(), heartbeats: new Map() },
        options.tag,
      );
      for (const window of windows(new Date(options.fromMs), new Date(options.toMs)))
        await check(readCoffeeRows(client, { network: name, ...window }));
      const counts = result();
      const { missing, unexpected, repeated, bad_flags, wrongly_unmeasured } = counts;
      const ok = missing + unexpected + repeated + bad_flags + wrongly_unmeasured === 0;
      reports.push({ network_id: id, ...counts, ok });
    }
    return reports;
  });
};
