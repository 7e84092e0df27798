import { analystsDatabase } from '@popsvc/read-models/analysts';
import { isServerError, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import { dropStatements, roleStatements, userStatements } from './login-sql.ts';
import { syncGrants } from './tell-grants.ts';

/** Whether ClickHouse lets somebody in, and why it could not be told to. */
export interface LoginStatus {
  readonly canLogIn: boolean;
  /** ClickHouse's words; null when it did as it was told, or was not asked. */
  readonly why: string | null;
}

/** Analysts as ClickHouse knows them. */
export interface AnalystLogins {
  /** The database that holds what they see. */
  readonly database: string;
  /** What makes a login on a server whose users are made by SQL; the password is in it as a hash alone. */
  statements(name: string, passwordSha256Hex: string): readonly string[];
  /** Runs that, where the service's user may. */
  create(name: string, passwordSha256Hex: string): Promise<LoginStatus>;
  /** Ends what the analyst asks now, and the login where the service's user may. */
  revoke(name: string): Promise<LoginStatus>;
  /** Who can log in, of all users of ClickHouse; undefined when it does not tell. */
  readUsers(): Promise<ReadonlySet<string> | undefined>;
  /** Has ClickHouse follow what PostgreSQL says of analysts. */
  syncGrants(): Promise<void>;
}

export const createAnalystLogins = (writer: ClickHouseWriter, postgres: Postgres): AnalystLogins => {
  const statements = (name: string, hash: string) => [
    ...roleStatements(writer.database),
    ...userStatements(name, hash),
  ];
  const known = async (): Promise<ReadonlySet<string> | undefined> => {
    try {
      return new Set((await writer.rows<{ name: string }>('SELECT name FROM system.users')).map(({ name }) => name));
    } catch (error) {
      if (isServerError(error)) return undefined;
      throw error;
    }
  };
  const runAll = async (queries: readonly string[]): Promise<string | null> => {
    try {
      for (const query of queries) await writer.run(query);
      return null;
    } catch (error) {
      if (!isServerError(error)) throw error;
      return (error as Error).message.split('\n')[0]!.slice(0, 300);
    }
  };
  const standing = async (name: string, why: string | null): Promise<LoginStatus> => ({
    canLogIn: (await known())?.has(name) ?? false,
    why,
  });
  return {
    database: analystsDatabase(writer.database),
    statements,
    create: async (name, hash) => standing(name, await runAll(statements(name, hash))),
    async revoke(name) {
      await runAll([`KILL QUERY WHERE user = '${name}' ASYNC`]);
      return standing(name, await runAll(dropStatements(name)));
    },
    readUsers: known,
    syncGrants: () => syncGrants(writer, postgres),
  };
};
