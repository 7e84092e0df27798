import {
  connect,
  type ConnectionOptions,
  DiscardPolicy,
  type JetStreamManager,
  nanos,
  type NatsConnection,
  NatsError,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from 'nats';
import { withDeadline } from '../runtime/index.ts';

interface Connection {
  readonly listed: number;
  open(): Promise<NatsConnection>;
  close(): Promise<void>;
}

const connectTimeoutMs = 2_000;
const pingIntervalMs = 5_000;
export const requestTimeoutMs = 5_000;

const parseServers = (url: string) => url.split(',').map((address) => new URL(address));

const connectionOptions = (servers: readonly URL[], name: string): ConnectionOptions => {
  const { username, password } = servers.find((server) => server.username !== '') ?? servers[0]!;
  return {
    servers: servers.map(({ host }) => host),
    name: `popsvc ${name}`,
    ...(username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(servers.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    timeout: connectTimeoutMs,
    pingInterval: pingIntervalMs,
    maxPingOut: 2,
    // The client library must not reconnect by itself, because it would then send all messages that it had buffered, however old.
    reconnect: false,
  };
};

/** `url`: one or more comma-separated `nats://` or `tls://` URLs, which may contain a user name and a password. */
export const createNatsConnection = (url: string, name: string): Connection => {
  const servers = parseServers(url);
  let current: Promise<NatsConnection> | undefined;
  let isClosed = false;
  const openConnection = async () => {
    const opened = await connect(connectionOptions(servers, name));
    void opened.closed().then(() => (current = undefined));
    return opened;
  };
  return {
    listed: new Set(servers.map(({ host }) => host)).size,
    open() {
      if (isClosed) return Promise.reject(new Error('the connection to NATS was closed'));
      current ??= openConnection().catch((error: unknown) => {
        current = undefined;
        throw error;
      });
      return current;
    },
    async close() {
      isClosed = true;
      await (await current?.catch(() => undefined))?.close();
    },
  };
};

const days = (count: number) => nanos(count * 86_400_000);

/** The limits may remove events, which the event log still contains. */
const eventsStream = {
  name: 'popsvc_events',
  subjects: ['popsvc.events.>'],
  max_age: days(7),
  max_bytes: 2 ** 30,
  duplicate_window: nanos(120_000),
  storage: StorageType.File,
  discard: DiscardPolicy.Old,
};

/** Error codes of the JetStream API. `noPeers`: the cluster has fewer servers than the stream should have replicas. */
const apiErrors = { notFound: 10_059, nameInUse: 10_058, noPeers: 10_005, notClustered: 10_074 };
const isApiError = (error: unknown, ...codes: readonly number[]) =>
  error instanceof NatsError && codes.includes(error.api_error?.err_code ?? 0);

/** A stream with three replicas loses no acknowledged message when one server is lost. */
const clusterReplicas = 3;

const countServers = ({ info }: NatsConnection): number => {
  if (info?.cluster === undefined) return 1;
  const addresses = [...new Set(info.connect_urls ?? [])];
  const ofIpv4 = addresses.filter((address) => !address.startsWith('['));
  return Math.max(1, ofIpv4.length, ofIpv4.length === 0 ? addresses.length : 0);
};

/**
 * A server that started recently may not list all servers of its cluster, so the number of addresses in NATS_URL (`listed`) counts, too.
 */
const chooseReplicas = (connection: NatsConnection, listed: number): number =>
  Math.max(countServers(connection), listed) < clusterReplicas ? 1 : clusterReplicas;

const create = async (
  connection: NatsConnection,
  manager: JetStreamManager,
  listed: number,
  stream: Partial<StreamConfig>,
) => {
  const add = (replicas: number) => manager.streams.add({ ...stream, num_replicas: replicas });
  if (chooseReplicas(connection, listed) < clusterReplicas) return add(1);
  try {
    return await add(clusterReplicas);
  } catch (error) {
    if (!isApiError(error, apiErrors.noPeers, apiErrors.notClustered)) throw error;
    if (listed >= clusterReplicas)
      throw new Error(
        `NATS_URL lists ${listed} servers, but the stream ${stream.name} cannot have ${clusterReplicas} replicas: start all ` +
          `servers of the cluster, or remove from NATS_URL the servers that do not exist`,
        { cause: error },
      );
    // Several of the counted addresses may belong to one server, so the cluster may have fewer than three servers.
    return add(1);
  }
};

/** An existing stream keeps its limits and its number of replicas, which an operator may have changed. */
const ensure = async (
  connection: NatsConnection,
  manager: JetStreamManager,
  listed: number,
  stream: Partial<StreamConfig> & { name: string },
) => {
  try {
    await manager.streams.info(stream.name);
  } catch (error) {
    if (!isApiError(error, apiErrors.notFound)) throw error;
    await create(connection, manager, listed, stream).catch((failure: unknown) => {
      if (!isApiError(failure, apiErrors.nameInUse)) throw failure;
    });
  }
};

export const ensureStream = async (connections: Connection): Promise<void> => {
  const connection = await connections.open();
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: requestTimeoutMs });
  await ensure(connection, manager, connections.listed, eventsStream);
};

export interface NatsStreamStatus {
  readonly name: string;
  readonly messages: number;
  readonly bytes: number;
  /** How many servers should hold the stream, and how many of them are up to date. */
  readonly replicas: { readonly configured: number; readonly current: number };
}

export interface NatsStatus {
  readonly replicas: number;
  /** Without JetStream, the service cannot publish events. */
  readonly jetStream: boolean;
  readonly streams: readonly NatsStreamStatus[];
  readonly missing: readonly string[];
}

/** NATS error codes which mean that JetStream is disabled on the server or for the account. */
const jetStreamOffCodes = new Set(['503', '10039', '10076']);
const isJetStreamOff = (error: unknown): boolean =>
  error instanceof NatsError &&
  (jetStreamOffCodes.has(error.code) || jetStreamOffCodes.has(String(error.api_error?.err_code)));

const countCurrentReplicas = ({ config, cluster }: StreamInfo): number => {
  if (!cluster || config.num_replicas === 1) return config.num_replicas;
  const followers = (cluster.replicas ?? []).filter(({ current, offline }) => current && !offline);
  return followers.length + (cluster.leader ? 1 : 0);
};

export const readNatsStatus = async (connections: Connection): Promise<NatsStatus> => {
  const connection = await connections.open();
  await withDeadline(connection.flush(), requestTimeoutMs, 'the ping of NATS');
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: requestTimeoutMs });
  const replicas = chooseReplicas(connection, connections.listed);
  try {
    await manager.getAccountInfo();
  } catch (error) {
    if (isJetStreamOff(error)) return { replicas, jetStream: false, streams: [], missing: [] };
    throw error;
  }
  const expected = [eventsStream.name];
  const existing = (await manager.streams.list().next()).map((stream) => ({
    name: stream.config.name,
    messages: stream.state.messages,
    bytes: stream.state.bytes,
    replicas: { configured: stream.config.num_replicas, current: countCurrentReplicas(stream) },
  }));
  return {
    replicas,
    jetStream: true,
    streams: existing.filter(({ name }) => expected.includes(name)),
    missing: expected.filter((name) => !existing.some((stream) => stream.name === name)),
  };
};
