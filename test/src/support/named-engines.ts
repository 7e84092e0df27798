import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { queryClickHouse } from './engines.ts';

/** A database that a run has created on a server that the environment names. */
export interface NamedDatabase {
  /** Variables of the service for this database. */
  readonly variables: Readonly<Record<string, string>>;
  drop(): Promise<void>;
}

const newName = (): string => `popsvc_external_${randomBytes(6).toString('hex')}`;

/** Creates a database on the server of CLICKHOUSE_URL. */
export const databaseOnNamedClickHouse = async (): Promise<NamedDatabase> => {
  const { CLICKHOUSE_URL = '', CLICKHOUSE_USER: username = '', CLICKHOUSE_PASSWORD: password = '' } = process.env;
  const [url, name] = [new URL(CLICKHOUSE_URL), newName()];
  const execute = async (sql: string) => {
    const { ok, text } = await queryClickHouse(url.origin, { username, password }, sql);
    if (!ok) throw new Error(text);
  };
  await execute(`CREATE DATABASE ${name}`);
  return {
    variables: { CLICKHOUSE_URL: `${url.origin}/${name}` },
    drop: () => execute(`DROP DATABASE ${name}`),
  };
};

/** Creates a database on the server of DATABASE_URL. */
export const databaseOnNamedPostgres = async (): Promise<NamedDatabase> => {
  const [url, name] = [new URL(process.env['DATABASE_URL'] ?? ''), newName()];
  const execute = async (sql: string) => {
    const client = new Client({ connectionString: process.env['DATABASE_URL'] });
    await client.connect();
    try {
      await client.query(sql);
    } finally {
      await client.end();
    }
  };
  await execute(`CREATE DATABASE ${name}`);
  url.pathname = `/${name}`;
  return { variables: { DATABASE_URL: url.href }, drop: () => execute(`DROP DATABASE ${name} WITH (FORCE)`) };
};
