import { isServerError, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import { type AnalystLimits, analystLimits, analystsDatabase, type SettingRange } from '@popsvc/read-models/analysts';
import { syncGrants } from './grants.ts';

/**
 * The name shared by the analysts' role, settings profile and quota. Used only if ClickHouse users are managed with SQL rather
 * than in files.
 */
export const analystRole = 'popsvc_analyst';

const sqlLiteral = (value: number | string) => (typeof value === 'number' ? String(value) : `'${value}'`);

const boundsOf = ({ least, most }: SettingRange): string =>
  [least === undefined ? '' : ` MIN ${least}`, most === undefined ? '' : ` MAX ${most}`].join('');

const settingsOf = ({ settings, changeableSettings: changeableSettings }: AnalystLimits): string =>
  [
    ...Object.entries(settings).map(([name, value]) => {
      const may = changeableSettings[name];
      return `${name} = ${sqlLiteral(value)}${may ? `${boundsOf(may)} CHANGEABLE_IN_READONLY` : ''}`;
    }),
    ...Object.entries(changeableSettings)
      .filter(([name]) => !(name in settings))
      .map(([name, may]) => `${name}${boundsOf(may)} CHANGEABLE_IN_READONLY`),
  ].join(', ');

const quotaOf = ({ quota }: AnalystLimits): string =>
  Object.entries(quota)
    .map(([name, most]) => `${name} = ${most}`)
    .join(', ');

/**
 * Returns the idempotent statements that create or update the role, the settings profile and the quota shared by all analysts.
 */
export const roleStatements = (database: string): readonly string[] => [
  `CREATE SETTINGS PROFILE IF NOT EXISTS ${analystRole}`,
  `ALTER SETTINGS PROFILE ${analystRole} SETTINGS ${settingsOf(analystLimits)}`,
  `CREATE ROLE IF NOT EXISTS ${analystRole}`,
  `ALTER ROLE ${analystRole} SETTINGS PROFILE '${analystRole}'`,
  `GRANT SELECT ON ${analystsDatabase(database)}.* TO ${analystRole}`,
  `CREATE QUOTA IF NOT EXISTS ${analystRole} KEYED BY user_name`,
  `ALTER QUOTA ${analystRole} KEYED BY user_name FOR INTERVAL 1 hour MAX ${quotaOf(analystLimits)} TO ${analystRole}`,
];

/**
 * Returns the statements that create a user. Nothing needs to be escaped: the caller has validated `name`, and the hash is
 * hexadecimal.
 */
export const userStatements = (name: string, passwordSha256Hex: string): readonly string[] => [
  `CREATE USER ${name} IDENTIFIED WITH sha256_hash BY '${passwordSha256Hex}'`,
  `GRANT ${analystRole} TO ${name}`,
];

const dropStatements = (name: string): readonly string[] => [`DROP USER IF EXISTS ${name}`];

/** Whether an analyst's login exists in ClickHouse, and the error message if a statement failed. */
export interface LoginStatus {
  readonly canLogIn: boolean;
  /** ClickHouse's error message; null when the statements succeeded or were not run. */
  readonly why: string | null;
}

/** Manages the ClickHouse logins of analysts. */
export interface AnalystLogins {
  /** The database that contains the views for analysts. */
  readonly database: string;
  /** Returns the SQL statements that create a login. They contain the hash of the password, never the password. */
  statements(name: string, passwordSha256Hex: string): readonly string[];
  /**
   * Runs the statements that create a login. If ClickHouse rejects one, for example because this service's user lacks the
   * privilege, the status contains the error message.
   */
  create(name: string, passwordSha256Hex: string): Promise<LoginStatus>;
  /**
   * Stops the analyst's running queries and drops the login. If ClickHouse rejects the drop, the status contains the error
   * message.
   */
  revoke(name: string): Promise<LoginStatus>;
  /** Returns the names of all ClickHouse users; undefined when this service's ClickHouse user is not allowed to list them. */
  readUsers(): Promise<ReadonlySet<string> | undefined>;
  /** Copies the grants of analysts from PostgreSQL to ClickHouse. */
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
  const readStatus = async (name: string, why: string | null): Promise<LoginStatus> => ({
    canLogIn: (await known())?.has(name) ?? false,
    why,
  });
  return {
    database: analystsDatabase(writer.database),
    statements,
    create: async (name, hash) => readStatus(name, await runAll(statements(name, hash))),
    async revoke(name) {
      await runAll([`KILL QUERY WHERE user = '${name}' ASYNC`]);
      return readStatus(name, await runAll(dropStatements(name)));
    },
    readUsers: known,
    syncGrants: () => syncGrants(writer, postgres),
  };
};
