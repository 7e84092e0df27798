import { once } from 'node:events';
import type { Writable } from 'node:stream';
import type { Pool } from 'pg';
import { columnNames } from './coffee-view.ts';

export interface Window {
  readonly networkId: number;
  readonly from: string;
  readonly to: string;
}

const quotedNames = columnNames.map((name) => `"${name}"`).join(', ');
const within = '_network = $1 AND _at >= $2 AND _at < $3';

/** Splits a cursor into three values that identify the last row of the previous page: start of the play, play id and detection id. */
const cursorOf = (after: string): readonly string[] => after.split('_');

/** Reads a page with keyset pagination. Reads one row more than the limit to find out whether another page follows. */
export const readPage = async (pool: Pool, { networkId, from, to }: Window, limit: number, after?: string) => {
  const beyond = after === undefined ? '' : 'AND (_at, _play) >= ($5, $6) AND (_at, _play, _detection) > ($5, $6, $7)';
  const { rows } = await pool.query<Record<string, unknown>>({
    name: `page${after === undefined ? '' : '-after'}`,
    text: `SELECT _at, _play, _detection, ${quotedNames} FROM coffee WHERE ${within} ${beyond} ORDER BY _at, _play, _detection LIMIT $4`,
    values: [networkId, from, to, limit + 1, ...(after === undefined ? [] : cursorOf(after))],
  });
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next = last && [(last['_at'] as Date).toISOString(), last['_play'], last['_detection']].join('_');
  return {
    next_after: next ?? null,
    rows: shown.map(({ _at, _play, _detection, ...row }) => row),
  };
};

const cacheMs = 60_000;
const totals = new Map<string, { readonly total: number; readonly untilMs: number }>();

/** Counts the rows in the time window. Caches the count for a minute, because every page of the report includes it. */
export const countRows = async (pool: Pool, { networkId, from, to }: Window): Promise<number> => {
  const key = `${networkId} ${from} ${to}`;
  const known = totals.get(key);
  if (known && known.untilMs > Date.now()) return known.total;
  const { rows } = await pool.query<{ total: number }>({
    name: 'total',
    text: 'SELECT count(*) AS total FROM matched WHERE network_id = $1 AND played_at >= $2 AND played_at < $3',
    values: [networkId, from, to],
  });
  const { total } = rows[0]!;
  totals.set(key, { total, untilMs: Date.now() + cacheMs });
  return total;
};

const toCsv = (value: string | null): string => {
  if (value === null) return '';
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
};
const fetchSize = 5_000;

/** Writes all rows with a server-side cursor; fetches the next rows while it writes the previous ones. */
export const writeCsv = async (pool: Pool, { networkId, from, to }: Window, out: Writable): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query('BEGIN READ ONLY');
    const columns = columnNames.map((name) => `"${name}"::text`).join(', ');
    await client.query(
      `DECLARE rows NO SCROLL CURSOR FOR SELECT ${columns} FROM coffee WHERE ${within} ORDER BY _at, _play, _detection`,
      [networkId, from, to],
    );
    const fetch = () => client.query<(string | null)[]>({ text: `FETCH ${fetchSize} FROM rows`, rowMode: 'array' });
    out.write(`${columnNames.join(',')}\r\n`);
    let fetching = fetch();
    for (let { rows } = await fetching; rows.length > 0; { rows } = await fetching) {
      fetching = fetch();
      const lines = rows.map((row) => `${row.map(toCsv).join(',')}\r\n`);
      if (!out.write(lines.join(''))) await once(out, 'drain');
    }
    await client.query('COMMIT');
    client.release();
  } catch (error) {
    client.release(true);
    throw error;
  }
};

/** A typical analyst query: plays, people, impressions, views and watched seconds per campaign. */
export const campaignSummarySql = `
SELECT campaign_ref, count(DISTINCT (vendor, event_id)) AS plays, count(DISTINCT watcher_id) AS people,
  count(*) FILTER (WHERE is_impression) AS impressions, count(*) FILTER (WHERE is_view) AS views,
  (sum(watch_ms) / 1000.0)::float8 AS watched
FROM measured WHERE network_id = $1 AND played_at >= $2 AND played_at < $3
GROUP BY campaign_ref ORDER BY campaign_ref`;
