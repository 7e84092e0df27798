import { randomUUID } from 'node:crypto';
import type { EventStore } from '@popsvc/platform/event-store';

export interface From {
  readonly network: number;
  readonly vendor: string;
}

/** One append, which is acknowledged when this resolves with its position. */
export type Append = (
  stream: string,
  events: readonly { readonly type: string; readonly data: unknown }[],
  from?: From,
) => Promise<bigint>;

/** Appends as intake does, with ids that never come again. */
export const appending =
  (store: Pick<EventStore, 'append'>): Append =>
  async (stream, told, { network, vendor } = { network: 1, vendor: 'acme' }) => {
    const metadata = { schemaVersion: 1, receivedAt: new Date().toISOString(), network, vendor };
    const events = told.map(({ type, data }) => ({ id: randomUUID(), type, data, metadata }));
    return (await store.append(stream, events)).position;
  };
