import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { PopRecorded } from '@popsvc/contracts/events';
import type { Work } from '../harness/processes.ts';
import { handleRequests } from '../harness/child-process.ts';
import { play } from '../traffic/plays.ts';

export interface AppendEvents {
  readonly url: string;
  readonly stream: string;
  /** In each append. */
  readonly events: number;
  readonly concurrency: number;
  readonly forMs: number;
}

let client: EventStoreDBClient | undefined;
let serial = 0;

/** What the service stores beside the data of an event. */
const metadata = {
  schemaVersion: PopRecorded.version,
  receivedAt: new Date().toISOString(),
  network: 1,
  vendor: 'bench',
  keyId: randomUUID(),
  requestId: randomUUID(),
};

const next = (index: number) => {
  const data = play(index, `raw-${process.pid}-${(serial += 1)}`);
  return jsonEvent({ id: randomUUID(), type: PopRecorded.type, data, metadata });
};

/** The client alone, with as many appends under way as the service has requests. */
handleRequests(async ({ url, stream, events, concurrency, forMs }: AppendEvents): Promise<Work> => {
  const log = (client ??= EventStoreDBClient.connectionString(url));
  const latenciesMs: number[] = [];
  const began = performance.now();
  const appender = async () => {
    for (let now = performance.now(); now - began < forMs; now = performance.now()) {
      await log.appendToStream(
        stream,
        Array.from({ length: events }, (_, index) => next(index)),
      );
      latenciesMs.push(performance.now() - now);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, appender));
  return { units: latenciesMs.length * events, wallMs: performance.now() - began, latenciesMs };
});
