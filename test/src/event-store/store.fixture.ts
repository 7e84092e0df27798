import { randomUUID } from 'node:crypto';
import { credentials } from '@grpc/grpc-js';
import {
  EventStoreDBClient,
  type BinaryEventData,
  type JSONEventData,
  type ReadStreamOptions,
  type ResolvedEvent,
  binaryEvent,
  jsonEvent,
} from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { startTestEventStore } from '../support/engines.ts';

/** The server of EVENTSTORE_URL, or the embedded node. The same checks hold for both. */
const external = process.env['EVENTSTORE_URL'];
let shared: Promise<string> | undefined;

export const urlUnderTest = (): Promise<string> =>
  (shared ??= external === undefined ? startTestEventStore().then(({ url }) => url) : Promise.resolve(external));

/** A check that kills, restarts, damages or configures the node, or where versions of the server differ by right. */
export const itsOwnNode = (title: string, body: Mocha.AsyncFunc): void => {
  if (external === undefined) it(title, body);
  else it.skip(`${title} [not applicable: the server of EVENTSTORE_URL is not this test's to handle]`);
};

const leftBehind: (() => unknown)[] = [];

export const connectTo = (url: string, parameters = ''): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(`${url}${parameters}`);
  leftBehind.push(() => client.dispose());
  return client;
};

export const connect = async (parameters = ''): Promise<EventStoreDBClient> =>
  connectTo(await urlUnderTest(), parameters);

/** Speaks the protocol without the client's ideas of what may be sent. */
export const rawClient = async (url?: string): Promise<StreamsClient> => {
  const { host } = new URL(url ?? (await urlUnderTest()));
  const client = new StreamsClient(host, credentials.createInsecure());
  leftBehind.push(() => client.close());
  return client;
};

/** A stream that no other test, and no other run on the same server, has seen. */
export const newStream = (kind = 'check'): string => `${kind}-${randomUUID().replaceAll('-', '')}`;

export const someEvents = (count: number, type = 'Checked'): JSONEventData[] =>
  Array.from({ length: count }, (_, n) => jsonEvent({ type, data: { n } }));

/** An event of exactly `bytes` counted bytes. */
export const eventOfSize = (bytes: number): BinaryEventData =>
  binaryEvent({ type: 'Big', data: Buffer.alloc(bytes - 2 * 'Big'.length) });

export const readAllOf = async (
  client: EventStoreDBClient,
  stream: string,
  options: ReadStreamOptions = {},
): Promise<ResolvedEvent[]> => {
  const events: ResolvedEvent[] = [];
  for await (const event of client.readStream(stream, options)) events.push(event);
  return events;
};

export const revisionsOf = (events: readonly ResolvedEvent[]): number[] =>
  events.map(({ event }) => Number(event?.revision));

/** What a promise was refused with, as the fields a caller would look at. */
export const refusal = (promise: Promise<unknown>): Promise<Record<string, unknown>> =>
  promise.then(
    () => ({ type: 'was not refused' }),
    (error: unknown) => error as Record<string, unknown>,
  );

after('clients of the run', async () => {
  for (const leave of leftBehind.splice(0)) await leave();
});
