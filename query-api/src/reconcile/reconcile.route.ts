import { Reconcile, reconcileLimits } from '@popsvc/contracts/commands';
import { type CountReconciliation, type EventReconciliation, maxListedDifferences } from '@popsvc/contracts/responses';
import { instantMs } from '@popsvc/contracts/time';
import { chunkForParameter, type ClickHouseReader } from '@popsvc/platform/clickhouse';
import {
  type AcquireSlot,
  callerKey,
  invalidRequestError,
  jsonResponse,
  noParameters,
  parseBody,
  parseQuery,
  type Route,
} from '@popsvc/http-kit/server';
import { reconcileRead } from '@popsvc/http-kit/vendor-reads';
import { dataAsOfHeader } from '../generations/live-generations.ts';
import { requireVendor } from '../scope/vendor.ts';
import type { ShardOf } from '../shards/shards.ts';
import { compareCounts, compareEvents } from './compare.ts';
import {
  type PlaySelection,
  queryPlayCount,
  queryPlayIds,
  queryPlaysById,
  queryStoredCounts,
  type StoredCount,
  type StoredPlay,
} from './reconcile-queries.ts';

export interface ReconcileDependencies {
  readonly shardOf: ShardOf;
  /** Limits concurrent comparisons, because each reads all plays of its window. */
  readonly acquireReconcileSlot: AcquireSlot;
}

export const reconcileRoute = ({ shardOf, acquireReconcileSlot }: ReconcileDependencies): Route => ({
  ...reconcileRead,
  async handle({ query, body, principal, signal }) {
    parseQuery(noParameters, query);
    const { from, to, counts, events = [] } = parseBody(Reconcile, body);
    const vendor = requireVendor(principal);
    const { reader, pinGenerations } = shardOf(vendor.network);
    const releaseSlot = acquireReconcileSlot(callerKey(principal));
    try {
      return await pinGenerations(['coffee'], async ({ coffee: progress }) => {
        const selection = { vendor, fromMs: instantMs(from)!, toMs: instantMs(to)!, progress };
        const data = counts
          ? await reconcileCounts(reader, selection, counts, signal)
          : await reconcileEvents(reader, selection, events, signal);
        return jsonResponse(200, { status: true, message: 'plays compared', data }, dataAsOfHeader(progress));
      });
    } finally {
      releaseSlot();
    }
  },
});

/** Maximum number of counts in memory, one for each screen and hour with plays. */
const maxStoredCounts = 100_000;

const reconcileCounts = async (
  reader: ClickHouseReader,
  selection: PlaySelection,
  counts: NonNullable<Reconcile['counts']>,
  signal: AbortSignal,
): Promise<CountReconciliation> => {
  const stored = await reader.rows<StoredCount>(queryStoredCounts(selection, maxStoredCounts + 1), { signal });
  if (stored.length > maxStoredCounts) {
    const message = `is too late: the window has stored plays in more than ${maxStoredCounts} screens and hours`;
    throw invalidRequestError([{ path: 'to', message }]);
  }
  return compareCounts(counts, stored);
};

const maxConcurrentQueries = 4;

const reconcileEvents = async (
  reader: ClickHouseReader,
  selection: PlaySelection,
  events: NonNullable<Reconcile['events']>,
  signal: AbortSignal,
): Promise<EventReconciliation> => {
  const named: StoredPlay[] = [];
  const chunks = chunkForParameter(
    events.map(({ eventId }) => eventId),
    (id) => id,
  );
  const readChunks = async () => {
    for (let chunk = chunks.pop(); chunk; chunk = chunks.pop())
      named.push(...(await reader.rows<StoredPlay>(queryPlaysById(selection, chunk), { signal })));
  };
  await Promise.all(Array.from({ length: maxConcurrentQueries }, readChunks));
  const [[counted], first] = await Promise.all([
    reader.rows<{ readonly total: number }>(queryPlayCount(selection), { signal }),
    reader.rows<{ readonly event_id: string }>(queryPlayIds(selection, reconcileLimits.events + maxListedDifferences), {
      signal,
    }),
  ]);
  const { fromMs, toMs } = selection;
  const stored = { named, total: counted?.total ?? 0, firstIds: first.map(({ event_id }) => event_id) };
  return compareEvents(events, stored, (ms) => ms >= fromMs && ms < toMs);
};
