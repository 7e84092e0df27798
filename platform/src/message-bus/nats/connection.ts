import { connect, type ConnectionOptions, type NatsConnection } from 'nats';

/** A connection that is opened when it is needed, and opened anew when it was lost. */
export interface Connection {
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
