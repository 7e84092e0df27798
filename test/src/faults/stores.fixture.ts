import { randomBytes } from 'node:crypto';
import { clickHouseEntry, buildClickHouseEnv } from '@popsvc/embedded/clickhouse';
import { startPostgres } from '@popsvc/embedded/postgres';
import { choosePort, type SupervisedProcess, startSupervisedProcess } from '@popsvc/embedded/supervisor';
import { startTestEventStore, temporaryFolder } from '../support/engines.ts';
import { whenRunEnds } from '@popsvc/tools/rig';

/** An engine that can be taken away for a while. */
export interface MortalStore {
  readonly url: string;
  /** Ends it without warning and leaves it down. */
  kill9(): Promise<void>;
  /** Starts it again on its folder and port. */
  start(): Promise<void>;
}

export interface MortalStores {
  readonly eventStore: MortalStore;
  readonly clickhouse: MortalStore;
  readonly postgres: MortalStore;
  /** Who may do everything in ClickHouse. */
  readonly writer: { readonly username: string; readonly password: string };
}

const mortal = async (url: string, start: () => Promise<SupervisedProcess>): Promise<MortalStore> => {
  let part = await start();
  whenRunEnds(() => part.stop());
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

const mortalPostgres = async (): Promise<MortalStore> => {
  const port = await choosePort(0, 'EMBEDDED_POSTGRES_PORT');
  const settings = { dataDir: await temporaryFolder('postgres'), port, password: randomBytes(12).toString('hex') };
  const first = await startPostgres(settings);
  let again: SupervisedProcess | undefined = first;
  return mortal(first.url, () => {
    const started = again;
    again = undefined;
    return started ? Promise.resolve(started) : startPostgres(settings);
  });
};

const mortalClickHouse = async (writer: MortalStores['writer']): Promise<MortalStore> => {
  const port = await choosePort(0, 'EMBEDDED_CLICKHOUSE_PORT');
  const { username: name, password } = writer;
  const env = buildClickHouseEnv({
    dir: await temporaryFolder('clickhouse'),
    port,
    users: [
      { name, password, role: 'writer' },
      { name: 'popsvc_reader', password, role: 'reader' },
      { name: 'analyst', password, role: 'analyst' },
    ],
  });
  const run = { entry: clickHouseEntry };
  return mortal(`http://127.0.0.1:${port}/popsvc`, () =>
    startSupervisedProcess({ name: 'clickhouse', run, env, ready: 'json-line', restart: false }),
  );
};

/** The three stores of the calling suite's own, with all that keeps what they acknowledged: they are killed. */
export const mortalStores = async (): Promise<MortalStores> => {
  const writer = { username: 'popsvc_writer', password: randomBytes(12).toString('hex') };
  const [node, clickhouse, postgres] = await Promise.all([
    startTestEventStore(),
    mortalClickHouse(writer),
    mortalPostgres(),
  ]);
  const store = { url: node.url, kill9: () => node.kill9(), start: () => node.restart() };
  return { eventStore: store, clickhouse, postgres, writer };
};
