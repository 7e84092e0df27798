import {
  findPostgresBinaries,
  startPostgres,
  type PostgresBinaries,
  type PostgresServer,
} from '@popsvc/embedded/postgres';
import { Client } from 'pg';

/** The PostgreSQL installations of this machine, and servers on them, which a suite stops after each test. */
export const found = await findPostgresBinaries();
export const fromNpm = found.filter(({ dir }) => dir.includes('node_modules'));
export const ofTheMachine = found.filter(({ dir }) => !dir.includes('node_modules'));

const servers: PostgresServer[] = [];
export const start = async (
  dataDir: string,
  binaries: readonly PostgresBinaries[],
  password = "it's: a/password",
): Promise<PostgresServer> => {
  const server = await startPostgres({ dataDir, port: 0, password, binaries });
  servers.push(server);
  return server;
};
export const query = async (url: string, sql: string): Promise<Record<string, unknown>[]> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
};
export const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => 'it succeeded',
    (error: unknown) => String(error),
  );

export const stopServers = async (): Promise<void> => {
  for (const server of servers.splice(0)) await server.stop();
};
