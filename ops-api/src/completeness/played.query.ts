import { coffee, playSpans } from '@popsvc/read-models/tables';
import { joinWithOr, bind, instantSql, liveViewName, type Sql, sql, tableName } from '@popsvc/platform/clickhouse';
import { hour, hourMs, type LiveGenerations, number, type Stretch, within } from './stretch.ts';

/** The first ten minutes of every hour. */
export const early: Sql = sql`toMinute(ts) < 10`;

/** Of more stretches than this the whole between them is read. */
const mostStretches = 100;

/** These hours, as few stretches. */
const stretchesOf = ({ from }: Stretch, hours: readonly number[]): readonly (readonly [number, number])[] => {
  const found: [number, number][] = [];
  for (const each of [...hours].sort((a, b) => a - b)) {
    const last = found.at(-1);
    if (last?.[1] === each) last[1] = each + 1;
    else found.push([each, each + 1]);
  }
  const all = found.length > mostStretches ? [[found[0]![0], found.at(-1)![1]] as const] : found;
  return all.map(([begin, end]) => [from + begin * hourMs, from + end * hourMs]);
};

/** Rows of these hours, counted from the start of the stretch. */
export const inHours = (stretch: Stretch, hours: readonly number[]): Sql =>
  joinWithOr(
    stretchesOf(stretch, hours).map(([begin, end]) => sql`(ts >= ${instantSql(begin)} AND ts < ${instantSql(end)})`),
  );

/** Hours in which plays that stand began, as far as the rows of them are asked for. */
export const playedQuery = (stretch: Stretch, screens: readonly string[], which: Sql): Sql => sql`
SELECT screen_id AS of, groupUniqArray(${hour(sql`ts`, stretch)}) AS hours
FROM ${liveViewName(coffee)}
WHERE ${within(sql`ts`, stretch)} AND ${which} AND screen_id IN ${bind('Array(String)', screens)}
GROUP BY screen_id`;

const spanMs = 300_000;

/** Hours, of these, in which a play was told to have begun, whether it stands or not: found by its span, for any screen at once. */
export const sentQuery = (
  stretch: Stretch,
  { screens, hours }: { readonly screens: readonly string[]; readonly hours: readonly number[] },
  { coffee: live }: LiveGenerations,
): Sql => sql`
SELECT screen_id AS of, groupUniqArray(${hour(sql`played_at`, stretch)}) AS hours
FROM ${tableName(playSpans, live)}
WHERE network_id = ${number(stretch.network)} AND ${joinWithOr(
  stretchesOf(stretch, hours).map(
    ([begin, end]) => sql`(span >= ${number(begin / spanMs)} AND span < ${number(end / spanMs)})`,
  ),
)} AND screen_id IN ${bind('Array(String)', screens)} AND ${within(sql`played_at`, stretch)}
GROUP BY screen_id`;
