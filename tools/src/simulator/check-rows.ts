import { feederBeats } from './feeder-beats.ts';
import { playKey, type Sent } from './sent.ts';

/** What a report says of the plays that were sent. */
export interface ReportCounts {
  readonly rows: number;
  /** Rows of plays with somebody in front of the screen. */
  readonly seen_rows: number;
  /** Plays that were sent and are in the report. */
  readonly found: number;
  /** Plays that were sent and are not in the report. */
  readonly missing: number;
  /** Plays of this run that were never sent. */
  readonly strange: number;
  /** Rows whose flags do not nest. */
  readonly bad_flags: number;
  /** Rows of plays nobody was seen at while a feeder of the device was online. */
  readonly none_rows: number;
  /** Rows that call a play unmeasured although a feeder of its device was heard in time. */
  readonly unheard: number;
}

/** Each implies the ones after it. */
const nested = ['IS_VIEW_THROUGH', 'IS_VIEW', 'IS_GLANCE', 'IS_WATCHED'] as const;
const needed = [
  'MEDIA_PLAYER_NAME',
  'EVENT_ID',
  'WATCHERID',
  'POP_TYPE',
  'DEVICE_ID',
  'DT_START_SITE_TZ',
  'PLAYOUT',
  'IS_IMPRESSION',
  ...nested,
] as const;
type Needed = (typeof needed)[number];

const flagsNest = (get: (name: Needed) => string): boolean => {
  const flags = nested.map((name) => get(name) === '1');
  const inOrder = flags.every((flag, index) => !flag || index === flags.length - 1 || flags[index + 1]);
  return inOrder && (get('IS_GLANCE') !== '1' || get('IS_IMPRESSION') === '1');
};

/** Holds rows of a coffee download against the plays that were sent; plays of other runs are none of its business. */
export const rowChecker = ({ plays: sent, beats }: Pick<Sent, 'plays' | 'beats'>, tag: string) => {
  const heard = feederBeats(beats);
  const found = new Set<string>();
  const strange = new Set<string>();
  const counts = { rows: 0, seen_rows: 0, bad_flags: 0, none_rows: 0, unheard: 0 };

  const check = async (lines: AsyncIterable<readonly string[]>): Promise<void> => {
    let columns: ReadonlyMap<string, number> | undefined;
    for await (const line of lines) {
      if (!columns) {
        columns = new Map(line.map((name, index) => [name, index]));
        const absent = needed.filter((name) => !columns?.has(name));
        if (absent.length > 0) throw new Error(`The report has no column ${absent.join(', ')}`);
        continue;
      }
      const known = columns;
      const get = (name: Needed): string => line[known.get(name)!] ?? '';
      counts.rows += 1;
      if (get('WATCHERID') !== '') counts.seen_rows += 1;
      if (!flagsNest(get)) counts.bad_flags += 1;
      if (get('POP_TYPE') === 'NONE') counts.none_rows += 1;
      const [start, length] = [Date.parse(get('DT_START_SITE_TZ')), Number(get('PLAYOUT')) * 1_000];
      if (get('POP_TYPE') === 'UNMEASURED' && heard(Number(get('DEVICE_ID')), start, start + length))
        counts.unheard += 1;
      const key = playKey(get('MEDIA_PLAYER_NAME'), get('EVENT_ID'));
      if (sent.has(key)) found.add(key);
      else if (get('EVENT_ID').startsWith(`${tag}-`)) strange.add(key);
    }
  };

  const told = (): ReportCounts => ({
    ...counts,
    found: found.size,
    missing: sent.size - found.size,
    strange: strange.size,
  });
  return { check, told };
};
