import type { Headers } from '@popsvc/platform/http';
import type { Reader } from '@popsvc/platform/read-store';
import type { Log } from '@popsvc/platform/runtime';
import { LRUCache } from 'lru-cache';
import { asOfQuery } from '../queries/index.ts';

/** The header that says until when everything received is in a report; none while that is not known. */
export type AsOf = (projection: string) => Promise<Headers>;

const believedMs = 250;

/** Asked before the rows are read: an older answer promises too little, a newer one would promise too much. */
export const asOf = (reader: Reader, log: Log): AsOf => {
  const known = new LRUCache<string, Headers>({ max: 100, ttl: believedMs });
  const ask = async (projection: string): Promise<Headers> => {
    try {
      const [row] = await reader.rows<{ as_of_ms: number | null }>(asOfQuery(projection));
      const ms = row?.as_of_ms ?? undefined;
      return ms === undefined ? {} : { 'X-Data-As-Of': new Date(ms).toISOString() };
    } catch (err) {
      // A report without the header is better than none; if the rows cannot be read either, that is told.
      log.warn({ err, projection }, 'how far the projection is cannot be read');
      return {};
    }
  };
  return async (projection) => {
    const before = known.get(projection);
    if (before) return before;
    const headers = await ask(projection);
    if ('X-Data-As-Of' in headers) known.set(projection, headers);
    return headers;
  };
};
