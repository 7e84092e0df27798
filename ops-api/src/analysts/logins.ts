import { type ClickHouseWriter, isServerError, writersOfServers } from '@popsvc/platform/clickhouse';
import { onlyShard, type Shard } from '@popsvc/domain/partitioning';
import type { Postgres } from '@popsvc/platform/postgres';
import type { Log } from '@popsvc/platform/telemetry';
import {
  type AnalystLimits,
  analystLimits,
  analystQueryPrefix,
  analystsDatabase,
  analystsShardDatabase,
  schemaRelations,
  PROXY_USER,
  type SettingRange,
} from '@popsvc/read-models/analysts';
import { onEachShard } from '@popsvc/read-models/generations';
import { grantsTable, logFailedSync, syncGrants } from './grants.ts';

const analystRole = 'popsvc_analyst';

const sqlLiteral = (value: number | string) => (typeof value === 'number' ? String(value) : `'${value}'`);

/**
 * SQL cannot exclude a single value, so `except` becomes the minimum `except + 1`. With several shards, such a minimum makes
 * queries fail (see `analystLimits`).
 */
const boundsOf = ({ least, most, except }: SettingRange, shard: Shard): string => {
  const min = least ?? (except === undefined || shard.of > 1 ? undefined : except + 1);
  return [min === undefined ? '' : ` MIN ${min}`, most === undefined ? '' : ` MAX ${most}`].join('');
};

const settingsOf = ({ settings, changeableSettings }: AnalystLimits, shard: Shard): string =>
  [
    ...Object.entries(settings).map(([name, value]) => {
      const may = changeableSettings[name];
      return `${name} = ${sqlLiteral(value)}${may ? `${boundsOf(may, shard)} CHANGEABLE_IN_READONLY` : ''}`;
    }),
    ...Object.entries(changeableSettings)
      .filter(([name]) => !(name in settings))
      .map(([name, may]) => `${name}${boundsOf(may, shard)} CHANGEABLE_IN_READONLY`),
  ].join(', ');

const quotaOf = ({ quota }: AnalystLimits): string =>
  Object.entries(quota)
    .map(([name, most]) => `${name} = ${most}`)
    .join(', ');

/** Statements that create or update the role, settings profile and quota of all analysts. They are idempotent. */
export const roleStatements = (database: string, shard = onlyShard): readonly string[] => [
  `CREATE SETTINGS PROFILE IF NOT EXISTS ${analystRole}`,
  `ALTER SETTINGS PROFILE ${analystRole} SETTINGS ${settingsOf(analystLimits, shard)}`,
  `CREATE ROLE IF NOT EXISTS ${analystRole}`,
  `ALTER ROLE ${analystRole} SETTINGS PROFILE '${analystRole}'`,
  ...[...new Set([analystsDatabase(database), analystsShardDatabase(database, shard)])].map(
    (readable) => `GRANT SELECT ON ${readable}.* TO ${analystRole}`,
  ),
  ...schemaRelations.map((relation) => `GRANT SELECT ON ${relation} TO ${analystRole}`),
  `CREATE QUOTA IF NOT EXISTS ${analystRole} KEYED BY user_name`,
  `ALTER QUOTA ${analystRole} KEYED BY user_name FOR INTERVAL 1 hour MAX ${quotaOf(analystLimits)} TO ${analystRole}`,
];

/** Does not escape its arguments: callers must validate `name`, and the hash must be hexadecimal. */
export const userStatements = (name: string, passwordSha256Hex: string): readonly string[] => [
  `CREATE USER ${name} IDENTIFIED WITH sha256_hash BY '${passwordSha256Hex}'`,
  `GRANT ${analystRole} TO ${name}`,
];

const dropStatements = (name: string): readonly string[] => [`DROP USER IF EXISTS ${name}`];

export interface LoginStatus {
  readonly canLogIn: boolean;
  /** ClickHouse's error message; null if no statement failed. */
  readonly why: string | null;
}

export interface AnalystLogins {
  readonly database: string;
  statements(name: string, passwordSha256Hex: string): readonly string[];
  /**
   * Stops at the first server that fails and returns its error. An embedded engine reads logins from the grants, so call `syncGrants`
   * first.
   */
  create(name: string, passwordSha256Hex: string): Promise<LoginStatus>;
  /** If a server fails, `why` contains the error, and the login may still work there. */
  revoke(name: string): Promise<LoginStatus>;
  /** Users that exist on every server that responds; undefined if none responds, or if one rejects the query. */
  readUsers(): Promise<ReadonlySet<string> | undefined>;
  /** Logs the failure of a shard. Throws only if all shards fail. */
  syncGrants(): Promise<void>;
}

/** Undefined if the server rejects the query. On an embedded engine, the grants contain the logins of analysts. */
const readUsersOf = async (server: ClickHouseWriter): Promise<ReadonlySet<string> | undefined> => {
  try {
    const readNames = async (from: string) => (await server.rows<{ name: string }>(from)).map(({ name }) => name);
    const users = await readNames('SELECT name FROM system.users');
    if (!users.includes(PROXY_USER)) return new Set(users);
    const logins = await readNames(`SELECT user AS name FROM ${grantsTable} FINAL WHERE password_sha256 != ''`);
    return new Set([...users, ...logins]);
  } catch (error) {
    if (isServerError(error)) return undefined;
    throw error;
  }
};

/** `shards` must not be empty. */
export const createAnalystLogins = (
  shards: readonly ClickHouseWriter[],
  { postgres, log }: { readonly postgres: Postgres; readonly log: Log },
): AnalystLogins => {
  const { database, shard } = shards[0]!;
  const statements = (name: string, hash: string) => [
    ...roleStatements(database, shard),
    ...userStatements(name, hash),
  ];
  // A user exists on one server only, unless the servers share an access storage. Statements therefore run on each server.
  const servers = shards.flatMap(writersOfServers);
  const isCluster = servers.length > 1;
  const runOn = async (server: ClickHouseWriter, queries: readonly string[]): Promise<string | null> => {
    try {
      for (const query of queries) await server.run(query);
      return null;
    } catch (error) {
      const message = (error as Error).message.split('\n')[0]!;
      return (isCluster ? `${new URL(server.server).host}: ${message}` : message).slice(0, 300);
    }
  };
  const readUsers = async (): Promise<readonly (ReadonlySet<string> | undefined)[]> => {
    const found = await Promise.allSettled(servers.map(readUsersOf));
    return found.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  };
  return {
    database: analystsDatabase(database),
    statements,
    async create(name, hash) {
      if ((await readUsers())[0]?.has(PROXY_USER)) return { canLogIn: true, why: null };
      for (const [index, server] of servers.entries()) {
        // `CREATE USER` fails on the first server if the name is in use. The others replace a login that an earlier attempt left.
        const queries = statements(name, hash).map((query) =>
          index === 0 ? query : query.replace(/^CREATE USER /, 'CREATE USER OR REPLACE '),
        );
        const why = await runOn(server, queries);
        if (why !== null) return { canLogIn: !isCluster && (await readUsers())[0]?.has(name) === true, why };
      }
      return { canLogIn: (await readUsers()).every((users) => users?.has(name) ?? false), why: null };
    },
    async revoke(name) {
      const failures = [];
      for (const server of servers) {
        await runOn(server, [
          `KILL QUERY WHERE user = '${name}' OR user = '${PROXY_USER}' AND startsWith(query_id, '${analystQueryPrefix(name)}') ASYNC`,
        ]);
        failures.push(await runOn(server, dropStatements(name)));
      }
      const users = await readUsers();
      const isUnknown = users.length < servers.length;
      return {
        canLogIn: isUnknown || users.some((of) => of?.has(name) ?? false),
        why: failures.find((failure) => failure !== null) ?? null,
      };
    },
    async readUsers() {
      const [first, ...others] = await readUsers();
      if (!first || others.includes(undefined)) return undefined;
      return new Set([...first].filter((name) => others.every((of) => of!.has(name))));
    },
    async syncGrants() {
      await onEachShard(
        shards,
        (writer) => syncGrants(writer, postgres),
        (writer, err) => logFailedSync(log, writer, err),
      );
    },
  };
};
