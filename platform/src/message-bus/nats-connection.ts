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
} from 'nats';
import { withDeadline } from '../runtime/index.ts';

/** A NATS connection that is opened on demand. After the connection is lost, the next use opens a new one. */
interface Connection {
  /** Returns the open connection, or opens a new one if none is open. Throws if NATS does not answer. */
  open(): Promise<NatsConnection>;
  close(): Promise<void>;
}

const connectTimeoutMs = 2_000;
const pingIntervalMs = 5_000;
export const requestTimeoutMs = 5_000;

const connectionOptions = (url: string, name: string): ConnectionOptions => {
  const servers = url.split(',').map((address) => new URL(address));
  const { username, password } = servers.find((server) => server.username !== '') ?? servers[0]!;
  return {
    servers: servers.map(({ host }) => host),
    name: `popsvc ${name}`,
    ...(username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(servers.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    timeout: connectTimeoutMs,
    pingInterval: pingIntervalMs,
    maxPingOut: 2,
    // The client library does not reconnect by itself, because it would then send all messages that it had buffered, however old.
    // The callers retry instead.
    reconnect: false,
  };
};

/**
 * Creates a connection that opens on demand. `url` contains one or more comma-separated `nats://` or `tls://` URLs, which may
 * contain a user name and a password.
 */
export const createNatsConnection = (url: string, name: string): Connection => {
  let current: Promise<NatsConnection> | undefined;
  let isClosed = false;
  const openConnection = async () => {
    const opened = await connect(connectionOptions(url, name));
    void opened.closed().then(() => (current = undefined));
    return opened;
  };
  return {
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

const discardOldest = { storage: StorageType.File, discard: DiscardPolicy.Old };

/** The JetStream stream of events. It keeps the events of the last week, but at most 1 GiB. The event log contains all events. */
export const eventsStream = {
  name: 'popsvc_events',
  subjects: ['popsvc.events.>'],
  max_age: days(7),
  max_bytes: 2 ** 30,
  duplicate_window: nanos(120_000),
  ...discardOldest,
};

/** The JetStream stream of dead letters, which operators inspect. */
const deadLetterStream = {
  name: 'popsvc_dead',
  subjects: ['popsvc.dead.>'],
  max_age: days(30),
  max_bytes: 2 ** 26,
  ...discardOldest,
};

const [notFound, nameInUse] = [10_059, 10_058];
const isApiError = (error: unknown, code: number) => error instanceof NatsError && error.api_error?.err_code === code;

/** Creates a stream if it does not exist. An existing stream keeps its limits, which an operator may have changed. */
const ensure = async (manager: JetStreamManager, stream: Partial<StreamConfig> & { name: string }) => {
  try {
    await manager.streams.info(stream.name);
  } catch (error) {
    if (!isApiError(error, notFound)) throw error;
    await manager.streams.add(stream).catch((failure: unknown) => {
      if (!isApiError(failure, nameInUse)) throw failure;
    });
  }
};

export const ensureStreams = async (manager: JetStreamManager): Promise<void> => {
  await ensure(manager, eventsStream);
  await ensure(manager, deadLetterStream);
};

export interface NatsStreamStatus {
  readonly name: string;
  readonly messages: number;
  readonly bytes: number;
}

export interface NatsStatus {
  /** Whether JetStream is enabled. The bus does not work without it. */
  readonly jetStream: boolean;
  /** The bus's JetStream streams that exist. */
  readonly streams: readonly NatsStreamStatus[];
  /** Names of the bus's JetStream streams that do not exist. */
  readonly missing: readonly string[];
}

/** NATS error codes which mean that JetStream is disabled on the server or for the account. */
const jetStreamOffCodes = new Set(['503', '10039', '10076']);
const isJetStreamOff = (error: unknown): boolean =>
  error instanceof NatsError &&
  (jetStreamOffCodes.has(error.code) || jetStreamOffCodes.has(String(error.api_error?.err_code)));

/** Reads the status of NATS. Throws if NATS does not answer. */
export const readNatsStatus = async (connections: Connection): Promise<NatsStatus> => {
  const connection = await connections.open();
  await withDeadline(connection.flush(), requestTimeoutMs, 'the ping of NATS');
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: requestTimeoutMs });
  try {
    await manager.getAccountInfo();
  } catch (error) {
    if (isJetStreamOff(error)) return { jetStream: false, streams: [], missing: [] };
    throw error;
  }
  const expected = [eventsStream.name, deadLetterStream.name];
  const existing = (await manager.streams.list().next()).map(({ config, state }) => ({
    name: config.name,
    messages: state.messages,
    bytes: state.bytes,
  }));
  return {
    jetStream: true,
    streams: existing.filter(({ name }) => expected.includes(name)),
    missing: expected.filter((name) => !existing.some((stream) => stream.name === name)),
  };
};
