import { setTimeout as sleep } from 'node:timers/promises';
import { choosePort } from '@popsvc/embedded/supervisor';
import { connect, type JetStreamManager, type NatsConnection } from 'nats';
import { startTestNats, type TestNats } from '../support/engines.ts';

/** Servers of one cluster, each a process of its own. */
export interface NatsCluster {
  /** The servers that have been started, by name: `n1`, `n2`, … */
  readonly servers: ReadonlyMap<string, TestNats>;
  /** The URLs of the servers that have been started, with commas. */
  url(): string;
  /** Starts the next server that has not been started. */
  startNext(): Promise<void>;
  /** Opens a connection of the test to a server that runs. */
  connect(): Promise<NatsConnection>;
  /** Waits until a stream has a leader, and returns the name of the leader's server. */
  leaderOf(stream: string): Promise<string>;
  /** Waits until JetStream of the cluster answers. */
  waitUntilReady(): Promise<void>;
  stop(): Promise<void>;
}

const retry = async <T>(what: string, attempt: () => Promise<T | undefined>): Promise<T> => {
  let failure: unknown;
  for (let tries = 0; tries < 400; tries += 1) {
    try {
      const result = await attempt();
      if (result !== undefined) return result;
    } catch (error) {
      failure = error;
    }
    await sleep(100);
  }
  throw new Error(`${what} took too long`, { cause: failure });
};

/** Starts a cluster of `size` servers. The first `running` of them are started. */
export const startNatsCluster = async (size: number, running = size): Promise<NatsCluster> => {
  const ports: number[] = [];
  for (let index = 1; index <= size; index += 1) ports.push(await choosePort(0, `the cluster port of n${index}`));
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`).join(',');
  const servers = new Map<string, TestNats>();
  const startNext = async () => {
    const name = `n${servers.size + 1}`;
    const listen = `nats://127.0.0.1:${ports[servers.size]!}`;
    const flags = ['--server_name', name, '--cluster_name', 'test', '--cluster', listen, '--routes', routes];
    servers.set(name, await startTestNats(flags));
  };
  for (let index = 0; index < running; index += 1) await startNext();
  const url = () => [...servers.values()].map((server) => server.url).join(',');
  const open = async () => {
    const addresses = url()
      .split(',')
      .map((address) => new URL(address));
    const { username, password } = addresses[0]!;
    return connect({ servers: addresses.map(({ host }) => host), user: username, pass: password, reconnect: false });
  };
  const withManager = async <T>(use: (manager: JetStreamManager) => Promise<T>): Promise<T> => {
    const connection = await open();
    try {
      return await use(await connection.jetstreamManager({ timeout: 2_000 }));
    } finally {
      await connection.close();
    }
  };
  const cluster: NatsCluster = {
    servers,
    url,
    startNext,
    connect: open,
    leaderOf: (stream) =>
      retry(`the election of a leader of ${stream}`, () =>
        withManager(async (manager) => (await manager.streams.info(stream)).cluster?.leader || undefined),
      ),
    async waitUntilReady() {
      await retry('the election of the leader of JetStream', () => withManager((manager) => manager.getAccountInfo()));
    },
    stop: async () => {
      await Promise.all([...servers.values()].map((server) => server.kill9()));
    },
  };
  await cluster.waitUntilReady();
  return cluster;
};
