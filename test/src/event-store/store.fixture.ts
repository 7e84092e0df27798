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

/** The server of EVENTSTORE_URL, or the embedded node. The same tests apply to both. */
const external = process.env['EVENTSTORE_URL'];
let shared: Promise<string> | undefined;

export const urlUnderTest = (): Promise<string> =>
  (shared ??= external === undefined ? startTestEventStore().then(({ url }) => url) : Promise.resolve(external));

/** A test that kills, restarts, damages or configures the node, or whose result differs between server versions. */
export const itsOwnNode = (title: string, body: Mocha.AsyncFunc): void => {
  if (external === undefined) it(title, body);
  else it.skip(`${title} [not applicable to the server of EVENTSTORE_URL]`);
};

const leftBehind: (() => unknown)[] = [];

export const connectTo = (url: string, parameters = ''): EventStoreDBClient => {
  const client = EventStoreDBClient.connectionString(`${url}${parameters}`);
  leftBehind.push(() => client.dispose());
  return client;
};

export const connect = async (parameters = ''): Promise<EventStoreDBClient> =>
  connectTo(await urlUnderTest(), parameters);

/** Opens a gRPC client without the checks of the event store client. */
export const rawClient = async (url?: string): Promise<StreamsClient> => {
  const { host } = new URL(url ?? (await urlUnderTest()));
  const client = new StreamsClient(host, credentials.createInsecure());
  leftBehind.push(() => client.close());
  return client;
};

/** The name of a stream that no other test or test run uses. */
export const newStream = (kind = 'check'): string => `${kind}-${randomUUID().replaceAll('-', '')}`;

export const someEvents = (count: number, type = 'Checked'): JSONEventData[] =>
  Array.from({ length: count }, (_, n) => jsonEvent({ type, data: { n } }));

/** An event of exactly `bytes` bytes as the server counts them. */
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

/** Returns the error of a rejected promise as a record of its fields. */
export const refusal = (promise: Promise<unknown>): Promise<Record<string, unknown>> =>
  promise.then(
    () => ({ type: 'was not rejected' }),
    (error: unknown) => error as Record<string, unknown>,
  );

after('closes the clients of the run', async () => {
  for (const leave of leftBehind.splice(0)) await leave();
});
