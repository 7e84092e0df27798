import type { EventStore } from '@popsvc/platform/event-store';
import type { ClaimedRequest } from '@popsvc/platform/postgres';
import { NothingBegun } from '../idempotency/once.ts';
import type { Chunk } from './chunks.ts';
import { storedAlready } from './stored-already.ts';
import type { StoreGate } from './store-gate.ts';
import { whileHeard } from './while-heard.ts';

interface Parts {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly gate: StoreGate;
}

/**
 * What an earlier try did not store. An append is all or nothing, but what matters is only that nothing comes twice. Throws
 * NothingBegun where it cannot be told.
 */
export const chunksLeft = async (
  chunks: readonly Chunk[],
  stream: string,
  claimed: ClaimedRequest,
  { store, gate }: Parts,
): Promise<readonly Chunk[]> => {
  const { receivedAtMs: fromMs, previousAttemptAtMs: toMs } = claimed;
  if (toMs === undefined) return chunks;
  const ids = chunks.flatMap(({ events }) => events.map(({ id }) => id));
  const look = async () => {
    gate.pass();
    return gate.inTurn(() => {
      gate.pass();
      return whileHeard(gate, (reading) => storedAlready(store, stream, ids, { fromMs, toMs, ...reading }));
    });
  };
  const stored = await look().catch((cause: unknown) => {
    throw new NothingBegun('what earlier tries stored is not known', { cause });
  });
  return chunks
    .map(({ events, bytes }) => ({ events: events.filter(({ id }) => !stored.has(id)), bytes }))
    .filter(({ events }) => events.length > 0);
};
