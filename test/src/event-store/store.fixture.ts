import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type ChannelCredentials, credentials, Metadata } from '@grpc/grpc-js';
import {
  EventStoreDBClient,
  type BinaryEventData,
  type Credentials,
  type JSONEventData,
  type ReadStreamOptions,
  type ResolvedEvent,
  binaryEvent,
  jsonEvent,
} from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { describeHosts, type EventStoreConnection, parseConnectionString, usesTls } from '@popsvc/platform/event-store';
import { shareForRun } from '@popsvc/tools/rig';
import { startTestEventStore } from '../support/engines.ts';

/** The server of EVENTSTORE_URL, or the embedded node. The same tests apply to both. */
const external = process.env['EVENTSTORE_URL'];
let shared: Promise<string> | undefined;

export const urlUnderTest = (): Promise<string> =>
  (shared ??=
    external === undefined
      ? shareForRun(() => startTestEventStore()).then(({ url }) => url)
      : Promise.resolve(external));

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

/** The channel credentials that a connection string describes: TLS and login, or neither. */
const credentialsOf = (connection: EventStoreConnection): ChannelCredentials => {
  if (!usesTls(connection)) return credentials.createInsecure();
  const { tlsCAFile } = connection.options;
  const channel = credentials.createSsl(tlsCAFile === undefined ? null : readFileSync(tlsCAFile));
  if (!connection.login) return channel;
  const { username, password } = connection.login;
  const metadata = new Metadata();
  metadata.set('authorization', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  const login = credentials.createFromMetadataGenerator((_, callback) => callback(null, metadata));
  return credentials.combineChannelCredentials(channel, login);
};

/** Credentials to pass with a single call: those of EVENTSTORE_URL, or any, which servers without access control ignore. */
export const callCredentials: Credentials = parseConnectionString(external ?? 'esdb://localhost').login ?? {
  username: 'admin',
  password: 'changeit',
};

/** A test with a proxy between client and server, which cannot read TLS. */
export const itWithoutTls = (title: string, body: Mocha.AsyncFunc): void => {
  if (!usesTls(parseConnectionString(external ?? 'esdb://localhost?tls=false'))) it(title, body);
  else it.skip(`${title} [not applicable to EVENTSTORE_URL with TLS]`);
};

/** Opens a gRPC client of the first node without the checks of the event store client. */
export const rawClient = async (given?: string): Promise<StreamsClient> => {
  const connection = parseConnectionString(given ?? (await urlUnderTest()));
  const client = new StreamsClient(describeHosts({ hosts: connection.hosts.slice(0, 1) }), credentialsOf(connection));
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
