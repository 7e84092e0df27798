import { fileURLToPath } from 'node:url';
import { startSupervisedProcess } from '@popsvc/embedded/supervisor';
import type { ClickHouse, EventStoreNode } from './engines.ts';

export type ServiceName = 'command-api' | 'worker' | 'projectors' | 'query-api';

export interface RunningService {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The engines that the services use; each function starts its engine on the first call. */
export interface Engines {
  eventStore(): Promise<EventStoreNode>;
  clickhouse(): Promise<ClickHouse>;
  /** URL of a PostgreSQL database that has the service's schema. */
  postgres(): Promise<string>;
}

const entryOf = (name: ServiceName) => {
  const path = name === 'worker' ? 'command-api/dist/worker-main.js' : `${name}/dist/main.js`;
  return fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
};

const environment = {
  'command-api': async (rig: Engines) => ({ COMMAND_API_PORT: '0', EVENTSTORE_URL: (await rig.eventStore()).url }),
  worker: async (rig: Engines) => ({ WORKER_PORT: '0', EVENTSTORE_URL: (await rig.eventStore()).url }),
  projectors: async (rig: Engines) => {
    const { url, writer } = await rig.clickhouse();
    const { username, password } = writer;
    const eventStore = (await rig.eventStore()).url;
    return {
      OPS_PORT: '0',
      EVENTSTORE_URL: eventStore,
      CLICKHOUSE_URL: url,
      CLICKHOUSE_USER: username,
      CLICKHOUSE_PASSWORD: password,
    };
  },
  'query-api': async (rig: Engines) => {
    const { url, reader } = await rig.clickhouse();
    const { username, password } = reader;
    return { QUERY_API_PORT: '0', CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password };
  },
} as const;

/** Starts a service in a process of its own, as in production. */
export const startService = async (
  name: ServiceName,
  rig: Engines,
  env: Readonly<Record<string, string>>,
): Promise<RunningService> => {
  const part = await startSupervisedProcess({
    name,
    run: { entry: entryOf(name) },
    env: { LOG_LEVEL: 'fatal', DATABASE_URL: await rig.postgres(), ...(await environment[name](rig)), ...env },
    ready: 'json-line',
    restart: false,
  });
  const url = `http://127.0.0.1:${String(part.readyLine()?.['port'])}`;
  return { url, pid: part.pid()!, stop: () => part.stop() };
};
