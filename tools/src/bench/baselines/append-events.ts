import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { PlaysRecorded } from '@popsvc/contracts/events';
import type { Work } from '../harness/process-usage.ts';
import { serveRequests } from '../harness/worker.ts';
import { play } from '../traffic/plays.ts';

export interface AppendEvents {
  readonly url: string;
  readonly stream: string;
  /** Number of plays in each event. */
  readonly events: number;
  readonly concurrency: number;
  readonly forMs: number;
}

let client: EventStoreDBClient | undefined;
let serial = 0;

/** The metadata that the service stores with an event. */
const metadata = {
  schemaVersion: PlaysRecorded.version,
  receivedAt: new Date().toISOString(),
  network: 1,
  vendor: 'bench',
  keyId: randomUUID(),
  requestId: randomUUID(),
};

const nextEvent = (length: number) => {
  const plays = Array.from({ length }, (_, index) => play(index, `raw-${process.pid}-${(serial += 1)}`));
  return jsonEvent({ id: randomUUID(), type: PlaysRecorded.type, data: { plays }, metadata });
};

/**
 * Appends events directly through the event store client, bypassing the service. `concurrency` matches the number of concurrent
 * requests that the compared measurement sends to the service.
 */
serveRequests(async ({ url, stream, events, concurrency, forMs }: AppendEvents): Promise<Work> => {
  const log = (client ??= EventStoreDBClient.connectionString(url));
  const latenciesMs: number[] = [];
  const began = performance.now();
  const appender = async () => {
    for (let now = performance.now(); now - began < forMs; now = performance.now()) {
      await log.appendToStream(stream, nextEvent(events));
      latenciesMs.push(performance.now() - now);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, appender));
  return { units: latenciesMs.length * events, wallMs: performance.now() - began, latenciesMs };
});
