import { randomBytes } from 'node:crypto';
import { clickHouseProcess } from '@popsvc/embedded/clickhouse';
import { startPostgres } from '@popsvc/embedded/postgres';
import { choosePort, type SupervisedProcess, startSupervisedProcess } from '@popsvc/embedded/supervisor';
import { startTestEventStore } from '../support/engines.ts';
import { temporaryFolder, addCleanUp } from '@popsvc/tools/rig';

/** A store that can be killed and started again. */
export interface KillableStore {
  readonly url: string;
  /** Ends it without warning and leaves it down. */
  kill9(): Promise<void>;
  /** Starts it again on its folder and port. */
  start(): Promise<void>;
}

export interface KillableStores {
  readonly eventStore: KillableStore;
  readonly clickhouse: KillableStore;
  readonly postgres: KillableStore;
  /** The ClickHouse user with all rights. */
  readonly writer: { readonly username: string; readonly password: string };
}

const makeKillable = async (url: string, start: () => Promise<SupervisedProcess>): Promise<KillableStore> => {
  let part = await start();
  addCleanUp(() => part.stop());
  return {
    url,
    async kill9() {
      const pid = part.pid();
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      // Its supervisor would start it again.
      await part.stop();
    },
    async start() {
      part = await start();
    },
  };
};

const startKillablePostgres = async (): Promise<KillableStore> => {
  const port = await choosePort(0, 'EMBEDDED_POSTGRES_PORT');
  const settings = { dataDir: await temporaryFolder('postgres'), port, password: randomBytes(12).toString('hex') };
  const first = await startPostgres(settings);
  let again: SupervisedProcess | undefined = first;
  return makeKillable(first.url, () => {
    const started = again;
    again = undefined;
    return started ? Promise.resolve(started) : startPostgres(settings);
  });
};

const startKillableClickHouse = async (writer: KillableStores['writer']): Promise<KillableStore> => {
  const port = await choosePort(0, 'EMBEDDED_CLICKHOUSE_PORT');
  const { username: name, password } = writer;
  const options = clickHouseProcess({
    dir: await temporaryFolder('clickhouse'),
    port,
    users: [
      { name, password, role: 'writer' },
      { name: 'popsvc_reader', password, role: 'reader' },
      { name: 'analyst', password, role: 'analyst' },
    ],
  });
  return makeKillable(`http://127.0.0.1:${port}/popsvc`, () => startSupervisedProcess({ ...options, restart: false }));
};

/** Stores to use instead of new ones. */
export type GivenStores = Partial<Pick<KillableStores, 'postgres'>> & {
  readonly clickhouse?: Pick<KillableStores, 'clickhouse' | 'writer'>;
};

/** Starts the stores that are not given for the calling suite, with their durable settings, because they are killed. */
export const startKillableStores = async (given: GivenStores = {}): Promise<KillableStores> => {
  const startClickHouse = async () => {
    const writer = { username: 'popsvc_writer', password: randomBytes(12).toString('hex') };
    return { clickhouse: await startKillableClickHouse(writer), writer };
  };
  const [node, clickhouse, postgres] = await Promise.all([
    startTestEventStore(),
    given.clickhouse ?? startClickHouse(),
    given.postgres ?? startKillablePostgres(),
  ]);
  const store = { url: node.url, kill9: () => node.kill9(), start: () => node.restart() };
  return { eventStore: store, ...clickhouse, postgres };
};
