import type { Reconcile } from '@popsvc/contracts/commands';
import { type CountReconciliation, type EventReconciliation, maxListedDifferences } from '@popsvc/contracts/responses';
import { instantMs, instantOf } from '@popsvc/contracts/time';
import type { StoredCount, StoredPlay } from './reconcile-queries.ts';

interface Cell {
  readonly screenId: string;
  readonly hourMs: number;
  sent: number;
  stored: number;
}

export const compareCounts = (
  sentCounts: NonNullable<Reconcile['counts']>,
  storedCounts: readonly StoredCount[],
): CountReconciliation => {
  const cells = new Map<string, Cell>();
  const cellOf = (screenId: string, hourMs: number): Cell => {
    const key = JSON.stringify([hourMs, screenId]);
    const cell = cells.get(key) ?? { screenId, hourMs, sent: 0, stored: 0 };
    cells.set(key, cell);
    return cell;
  };
  for (const { screenId, hour, count } of sentCounts) cellOf(screenId, instantMs(hour)!).sent = count;
  for (const { screen_id, hour_ms, stored } of storedCounts) cellOf(screen_id, hour_ms).stored = stored;
  const all = [...cells.values()];
  const differences = all
    .filter(({ sent, stored }) => sent !== stored)
    .sort((one, other) => one.hourMs - other.hourMs || (one.screenId < other.screenId ? -1 : 1));
  return {
    equal: all.filter(({ sent, stored }) => sent === stored && sent > 0).length,
    differences: differences
      .slice(0, maxListedDifferences)
      .map(({ screenId, hourMs, sent, stored }) => ({ screenId, hour: instantOf(hourMs), sent, stored })),
    differenceCount: differences.length,
  };
};

interface StoredPlays {
  readonly named: readonly StoredPlay[];
  readonly total: number;
  /**
   * Lowest ids in the window, ascending: enough to fill the list of extra events, even if the request names as many of these ids as it may.
   */
  readonly firstIds: readonly string[];
}

export const compareEvents = (
  sentEvents: NonNullable<Reconcile['events']>,
  { named, total, firstIds }: StoredPlays,
  isInWindow: (ms: number) => boolean,
): EventReconciliation => {
  const stored = new Map(named.map((play) => [play.event_id, play]));
  const missing = sentEvents.filter(({ eventId }) => !stored.has(eventId));
  const different = sentEvents.filter(({ eventId, contentHash }) => {
    const play = stored.get(eventId);
    return play !== undefined && contentHash !== undefined && play.content_hash !== contentHash.toLowerCase();
  });
  return {
    matched: sentEvents.length - missing.length - different.length,
    missing: missing.map(({ eventId }) => eventId),
    different: different.map(({ eventId }) => eventId),
    extra: firstIds.filter((id) => !stored.has(id)).slice(0, maxListedDifferences),
    extraCount: total - named.filter(({ played_ms }) => isInWindow(played_ms)).length,
  };
};
