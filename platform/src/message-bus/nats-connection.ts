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

/** A connection that is opened when it is needed, and opened anew when it was lost. */
interface Connection {
  /** Throws when NATS does not answer. Who finds his connection closed asks again. */
  open(): Promise<NatsConnection>;
  close(): Promise<void>;
}

const connectMs = 2_000;
const pingEveryMs = 5_000;

const optionsOf = (url: string, name: string): ConnectionOptions => {
  const servers = url.split(',').map((address) => new URL(address));
  const { username, password } = servers.find((server) => server.username !== '') ?? servers[0]!;
  return {
    servers: servers.map(({ host }) => host),
    name: `popsvc ${name}`,
    ...(username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
    ...(servers.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    timeout: connectMs,
    pingInterval: pingEveryMs,
    maxPingOut: 2,
    // What a lost connection held would be sent by the next one, however much later; whoever sent it sends it again anyway.
    reconnect: false,
  };
};

/** `url`: one address or several with commas, `nats://` or `tls://`, with user and password. */
export const connectionTo = (url: string, name: string): Connection => {
  let current: Promise<NatsConnection> | undefined;
  let isOver = false;
  const connected = async () => {
    const opened = await connect(optionsOf(url, name));
    void opened.closed().then(() => (current = undefined));
    return opened;
  };
  return {
    open() {
      if (isOver) return Promise.reject(new Error('the connection to NATS was closed'));
      current ??= connected().catch((error: unknown) => {
        current = undefined;
        throw error;
      });
      return current;
    },
    async close() {
      isOver = true;
      await (await current?.catch(() => undefined))?.close();
    },
  };
};

const days = (many: number) => nanos(many * 86_400_000);

const bounded = { storage: StorageType.File, discard: DiscardPolicy.Old };

/** A week or a gigabyte of events: who wants older ones reads the log. */
export const eventsStream = {
  name: 'popsvc_events',
  subjects: ['popsvc.events.>'],
  max_age: days(7),
  max_bytes: 2 ** 30,
  duplicate_window: nanos(120_000),
  ...bounded,
};

/** What nobody could handle; for people to look at. */
const deadStream = {
  name: 'popsvc_dead',
  subjects: ['popsvc.dead.>'],
  max_age: days(30),
  max_bytes: 2 ** 26,
  ...bounded,
};

const [notFound, nameInUse] = [10_059, 10_058];
const isApiError = (error: unknown, code: number) => error instanceof NatsError && error.api_error?.err_code === code;

/** Makes a stream that is missing; one that is there keeps the limits somebody gave it. */
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
  await ensure(manager, deadStream);
};

export interface NatsStreamStatus {
  readonly name: string;
  readonly messages: number;
  readonly bytes: number;
}

/** How NATS stands; asking throws when it does not answer. */
export interface NatsStatus {
  /** False: the server runs without JetStream, and the bus cannot work. */
  readonly jetStream: boolean;
  /** Those of ours that are there. */
  readonly streams: readonly NatsStreamStatus[];
  /** Those of ours that are not. */
  readonly missing: readonly string[];
}

/** What the server says when JetStream is off for all, or for this account. */
const withoutJetStream = new Set(['503', '10039', '10076']);
const isOff = (error: unknown): boolean =>
  error instanceof NatsError &&
  (withoutJetStream.has(error.code) || withoutJetStream.has(String(error.api_error?.err_code)));

export const busFacts = async (link: Connection, answerMs: number): Promise<NatsStatus> => {
  const connection = await link.open();
  await withDeadline(connection.flush(), answerMs, 'the ping of NATS');
  const manager = await connection.jetstreamManager({ checkAPI: false, timeout: answerMs });
  try {
    await manager.getAccountInfo();
  } catch (error) {
    if (isOff(error)) return { jetStream: false, streams: [], missing: [] };
    throw error;
  }
  const wanted = [eventsStream.name, deadStream.name];
  const there = (await manager.streams.list().next()).map(({ config, state }) => ({
    name: config.name,
    messages: state.messages,
    bytes: state.bytes,
  }));
  return {
    jetStream: true,
    streams: there.filter(({ name }) => wanted.includes(name)),
    missing: wanted.filter((name) => !there.some((stream) => stream.name === name)),
  };
};
