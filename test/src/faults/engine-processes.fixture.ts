import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { clickHouseProcess } from '@popsvc/embedded/clickhouse';
import { startEventStoreNode } from '@popsvc/embedded/event-store';
import { type PostgresServer, startPostgres } from '@popsvc/embedded/postgres';
import { choosePort, startSupervisedProcess, type SupervisedProcess } from '@popsvc/embedded/supervisor';
import { temporaryFolder, addCleanUp } from '@popsvc/tools/rig';
import type { TestClickHouse } from '../support/engines.ts';

/** Small enough that the log has several segments. */
const segmentBytes = 32_768;

/** Starts an event store node in this process on the folder of the log. A failed write is thrown at the next append. */
export const startNode = (dir: string) =>
  startEventStoreNode({ dataDir: dir, port: 0, segmentBytes, fail: () => undefined, note: () => undefined });

const password = 'a-password-of-tests';

/** Starts PostgreSQL on a folder, without fsync: a kill of the process loses nothing that the operating system has received. */
export const startDatabase = async (dir: string): Promise<PostgresServer> => {
  const server = await startPostgres({ dataDir: dir, port: 0, password, fsync: false });
  addCleanUp(() => server.stop());
  return server;
};

/** The users of ClickHouse. */
export const users = {
  writer: { username: 'popsvc_writer', password },
  reader: { username: 'popsvc_reader', password },
  analyst: { username: 'analyst', password },
};

export interface StartedClickHouse extends Pick<TestClickHouse, 'url' | 'writer' | 'reader'> {
  readonly process: SupervisedProcess;
}

/** Starts ClickHouse on a folder in its own process, as the service does. */
export const startClickHouse = async (dir: string): Promise<StartedClickHouse> => {
  const port = await choosePort(0, 'EMBEDDED_CLICKHOUSE_PORT');
  const roles = Object.entries(users) as [keyof typeof users, (typeof users)['writer']][];
  const options = clickHouseProcess({
    dir,
    port,
    users: roles.map(([role, { username: name }]) => ({ name, password, role })),
  });
  const process = await startSupervisedProcess({ ...options, restart: false });
  addCleanUp(() => process.stop());
  return { url: `http://127.0.0.1:${port}/popsvc`, writer: users.writer, reader: users.reader, process };
};

/** Copies the content of a folder, with the owners of the files: PostgreSQL may run as another user. */
export const copyFolder = async (from: string, to: string): Promise<void> => {
  await promisify(execFile)('cp', ['-a', `${from}/.`, to]);
};

/** Copies the folder of one engine of an installation into a new installation. Returns the new installation's folder. */
export const copyEngine = async (dataDir: string, engine: string): Promise<string> => {
  const copy = join(await temporaryFolder('damaged'), engine);
  await mkdir(copy, { recursive: true });
  await copyFolder(join(dataDir, engine), copy);
  return dirname(copy);
};
