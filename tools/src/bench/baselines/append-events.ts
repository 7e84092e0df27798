import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { PopRecorded } from '@popsvc/contracts/events';
import type { Work } from '../harness/process-usage.ts';
import { serveRequests } from '../harness/worker.ts';
import { play } from '../traffic/plays.ts';

export interface AppendEvents {
  readonly url: string;
  readonly stream: string;
  /** Number of events in each append. */
  readonly events: number;
  readonly concurrency: number;
  readonly forMs: number;
}

let client: EventStoreDBClient | undefined;
let serial = 0;

/** The metadata that the service stores with an event. */
const metadata = {
  schemaVersion: PopRecorded.version,
  receivedAt: new Date().toISOString(),
  network: 1,
  vendor: 'bench',
  keyId: randomUUID(),
  requestId: randomUUID(),
};

const nextEvent = (index: number) => {
  const data = play(index, `raw-${process.pid}-${(serial += 1)}`);
  return jsonEvent({ id: randomUUID(), type: PopRecorded.type, data, metadata });
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
      await log.appendToStream(
        stream,
        Array.from({ length: events }, (_, index) => nextEvent(index)),
      );
      latenciesMs.push(performance.now() - now);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, appender));
  return { units: latenciesMs.length * events, wallMs: performance.now() - began, latenciesMs };
});
