import type { EventStore } from '@popsvc/platform/event-store';
import type { Claimed } from '@popsvc/platform/records';
import type { Chunk } from './chunks.ts';
import { storedAlready } from './stored-already.ts';
import { type StoreGate, withinReason } from './store-gate.ts';

interface Parts {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly gate: StoreGate;
}

/** What an earlier try did not store. An append is all or nothing, but what matters is only that nothing comes twice. */
export const chunksLeft = async (
  chunks: readonly Chunk[],
  stream: string,
  claimed: Claimed,
  { store, gate }: Parts,
): Promise<readonly Chunk[]> => {
  if (claimed.earlierTryAtMs === undefined) return chunks;
  gate.pass();
  const ids = chunks.flatMap(({ events }) => events.map(({ id }) => id));
  const tries = { fromMs: claimed.receivedAtMs, toMs: claimed.earlierTryAtMs };
  const stored = await withinReason(gate, storedAlready(store, stream, ids, tries));
  return chunks
    .map(({ events, bytes }) => ({ events: events.filter(({ id }) => !stored.has(id)), bytes }))
    .filter(({ events }) => events.length > 0);
};
