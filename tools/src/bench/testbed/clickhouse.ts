import { randomBytes } from 'node:crypto';
import { clickHouseEntry, buildClickHouseEnv } from '@popsvc/embedded/clickhouse';
import { startSupervisedProcess } from '@popsvc/embedded/supervisor';

export interface ClickHouseUser {
  readonly username: string;
  readonly password: string;
}

export interface ClickHouse {
  /** The path is the database. */
  readonly url: string;
  readonly writer: ClickHouseUser;
  readonly reader: ClickHouseUser;
  readonly pid: number;
  stop(): Promise<void>;
}

const user = (username: string): ClickHouseUser => ({ username, password: randomBytes(12).toString('hex') });

export const startClickHouse = async (dir: string): Promise<ClickHouse> => {
  const users = { writer: user('popsvc_writer'), reader: user('popsvc_reader') };
  const part = await startSupervisedProcess({
    name: 'clickhouse',
    run: { entry: clickHouseEntry },
    env: buildClickHouseEnv({
      dir,
      port: 0,
      users: (['writer', 'reader'] as const).map((role) => ({
        name: users[role].username,
        password: users[role].password,
        role,
      })),
    }),
    ready: 'json-line',
    restart: false,
  });
  const url = `http://127.0.0.1:${String(part.readyLine()?.['port'])}/popsvc`;
  return { url, ...users, pid: part.pid()!, stop: () => part.stop() };
};
