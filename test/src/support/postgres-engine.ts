import { randomBytes } from 'node:crypto';
import { startPostgres, type PostgresServer } from '@popsvc/embedded/postgres';
import { Client } from 'pg';
import { temporaryFolder, whenRunEnds } from '@popsvc/tools/rig';

/** Fills an empty database, for example with the schema; it is given the database's address. */
export type Prepare = (url: string) => Promise<void>;

/** The run's PostgreSQL server, shared by all suites. */
export interface TestPostgres {
  /**
   * The address of a new database: empty, or as `prepare` leaves one. A `prepare` runs once in the run; its databases
   * are copies of what it made.
   */
  freshDatabase(prepare?: Prepare): Promise<string>;
}

let shared: Promise<TestPostgres> | undefined;

/** Started when the first suite asks for it, without fsync. */
export const sharedPostgres = (): Promise<TestPostgres> => (shared ??= start());

const start = async (): Promise<TestPostgres> => {
  const server = await startPostgres({
    dataDir: await temporaryFolder('postgres'),
    port: 0,
    password: randomBytes(12).toString('hex'),
    fsync: false,
  });
  whenRunEnds(() => server.stop());
  const templates = new Map<Prepare, Promise<string>>();
  const templateOf = (prepare: Prepare): Promise<string> => {
    const made = templates.get(prepare) ?? makeTemplate(server, prepare);
    templates.set(prepare, made);
    return made;
  };
  return {
    freshDatabase: async (prepare) => addressOf(server, await create(server, prepare && (await templateOf(prepare)))),
  };
};

const makeTemplate = async (server: PostgresServer, prepare: Prepare): Promise<string> => {
  const name = await create(server);
  await prepare(addressOf(server, name));
  return name;
};

const create = async ({ url }: PostgresServer, template = 'template1'): Promise<string> => {
  const name = `popsvc_test_${randomBytes(6).toString('hex')}`;
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE DATABASE ${name} TEMPLATE ${template}`);
  } finally {
    await client.end();
  }
  return name;
};

const addressOf = (server: PostgresServer, database: string): string => {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return url.href;
};
