import { eventStoreEntry, startEventStoreNode } from '@popsvc/embedded/event-store';
import { choosePort, startSupervisedProcess, type SupervisedProcess } from '@popsvc/embedded/supervisor';
import { temporaryFolder, whenRunEnds } from '@popsvc/tools/rig';

/** An event store node of the calling suite's own, in a process of its own. */
export interface TestEventStore {
  /** For the client: the same over every restart. */
  readonly url: string;
  readonly dir: string;
  readonly port: number;
  /** Of the process that runs now. */
  pid(): number | undefined;
  stop(): Promise<void>;
  /** Ends it without warning and leaves it down. */
  kill9(): Promise<void>;
  /** Starts it again on its folder and port; stops it first if it runs. */
  restart(): Promise<void>;
}

export const startTestEventStore = async (env: Readonly<Record<string, string>> = {}): Promise<TestEventStore> => {
  const dir = await temporaryFolder('event-store');
  const port = await choosePort(0, 'EMBEDDED_EVENTSTORE_PORT');
  const start = (): Promise<SupervisedProcess> =>
    startSupervisedProcess({
      name: 'event-store',
      run: { entry: eventStoreEntry },
      env: { ...env, EVENT_STORE_DIR: dir, EVENT_STORE_PORT: String(port) },
      ready: 'json-line',
      restart: false,
    });
  let node = await start();
  whenRunEnds(() => node.stop());
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    dir,
    port,
    pid: () => node.pid(),
    stop: () => node.stop(),
    kill9: async () => {
      const pid = node.pid();
      if (pid !== undefined) process.kill(pid, 'SIGKILL');
      await node.ended;
    },
    restart: async () => {
      await node.stop();
      node = await start();
    },
  };
};

/** One in this process: for suites to which it matters what the log says, and not that its node can be killed. */
export const startInProcessEventStore = async (): Promise<Omit<TestEventStore, 'pid' | 'kill9'>> => {
  const dataDir = await temporaryFolder('event-store');
  let node = await startEventStoreNode({ dataDir, port: 0 });
  const { port } = node;
  let isOpen = true;
  const stop = async () => {
    if (isOpen) await node.close();
    isOpen = false;
  };
  whenRunEnds(stop);
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    dir: dataDir,
    port,
    stop,
    async restart() {
      await stop();
      node = await startEventStoreNode({ dataDir, port });
      isOpen = true;
    },
  };
};
