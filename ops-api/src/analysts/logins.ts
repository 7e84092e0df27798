import { isServerError, type ClickHouseWriter } from '@popsvc/platform/clickhouse';
import type { Postgres } from '@popsvc/platform/postgres';
import { type AnalystLimits, analystLimits, analystsDatabase, type SettingRange } from '@popsvc/read-models/analysts';
import { syncGrants } from './grants.ts';

/** Role, profile and quota of analysts on a server whose users are made by SQL. */
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

/** What every analyst has in common; doing it again brings it up to date. */
export const roleStatements = (database: string): readonly string[] => [
  `CREATE SETTINGS PROFILE IF NOT EXISTS ${analystRole}`,
  `ALTER SETTINGS PROFILE ${analystRole} SETTINGS ${settingsOf(analystLimits)}`,
  `CREATE ROLE IF NOT EXISTS ${analystRole}`,
  `ALTER ROLE ${analystRole} SETTINGS PROFILE '${analystRole}'`,
  `GRANT SELECT ON ${analystsDatabase(database)}.* TO ${analystRole}`,
  `CREATE QUOTA IF NOT EXISTS ${analystRole} KEYED BY user_name`,
  `ALTER QUOTA ${analystRole} KEYED BY user_name FOR INTERVAL 1 hour MAX ${quotaOf(analystLimits)} TO ${analystRole}`,
];

/** A name is checked before it comes here; the hash is hexadecimal. */
export const userStatements = (name: string, passwordSha256Hex: string): readonly string[] => [
  `CREATE USER ${name} IDENTIFIED WITH sha256_hash BY '${passwordSha256Hex}'`,
  `GRANT ${analystRole} TO ${name}`,
];

const dropStatements = (name: string): readonly string[] => [`DROP USER IF EXISTS ${name}`];

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
