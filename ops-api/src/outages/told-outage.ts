import { instantOf } from '@popsvc/contracts/time';
import type { OutageFound, OutagePlace } from './outages.query.ts';
import type { OutagesTold } from './outages.schemas.ts';

/** An outage as a list shows it; one that lasts is told up to now. */
export const toldOutage = (
  { offline_ms, online_ms, backfilled, ...whose }: OutageFound,
  nowMs: number,
): OutagesTold['outages'][number] => ({
  ...whose,
  offline_at: instantOf(offline_ms),
  online_at: online_ms === null ? null : instantOf(online_ms),
  seconds: Math.max(0, (online_ms ?? nowMs) - offline_ms) / 1_000,
  backfilled: backfilled === 1,
});

export const cursorPattern = /^(\d{1,15})\.(device|feeder)\.(\d{1,16})$/;

/** Where a list goes on. */
export const cursorOf = ({ offline_ms, kind, id }: OutageFound): string => `${offline_ms}.${kind}.${id}`;

export const placeOf = (cursor: string): OutagePlace => {
  const [, offlineMs, kind, id] = cursorPattern.exec(cursor)!;
  return { offlineMs: Number(offlineMs), kind: kind as OutagePlace['kind'], id: Number(id) };
};
