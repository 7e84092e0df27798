import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { clickHouseRoles, type RoleDefinition, type SettingBound } from './roles.ts';
import type { ClickHouseUser, Secret } from './settings.ts';

/** XML elements by name: an array repeats its element, an object contains nested elements. */
interface Elements {
  readonly [element: string]: Content | readonly Content[];
}
type Content = string | number | Elements;

/** Converts elements to XML, the format of ClickHouse's configuration files. This build of the library cannot read the YAML format. */
const toXml = (elements: Elements): string =>
  Object.entries(elements)
    .flatMap(([element, content]) => (isList(content) ? content : [content]).map((one) => elementToXml(element, one)))
    .join('\n');

const isList = (content: Content | readonly Content[]): content is readonly Content[] => Array.isArray(content);

const elementToXml = (element: string, content: Content): string =>
  `<${element}>${typeof content === 'object' ? `\n${toXml(content)}\n` : escapeXml(String(content))}</${element}>`;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Id of the query that keeps the engine running. When this query ends, the engine writes all data to disk and ends. */
export const BOOT_QUERY_ID = 'boot-main';

const bootQueries = [
  'SYSTEM START LISTEN HTTP',
  // Keeps the engine running: sleeps for about 30 years, one second at a time, and needs no grant on a table or a file.
  `SELECT count() FROM numbers(1000000000) WHERE NOT ignore(sleepEachRow(1))
   SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0, max_execution_time = 0`,
];

/** Builds the command line of `clickhouse local`, which the library runs. */
export const buildBootArguments = (configFile: string, port: number): readonly string[] => [
  'clickhouse',
  '--config-file',
  configFile,
  '--http_port',
  String(port),
  '--listen_host',
  '127.0.0.1',
  '--log-level',
  'warning',
  '--query_id',
  BOOT_QUERY_ID,
  '--query',
  bootQueries.join('; '),
];

const MIB = 1024 * 1024;

/** Returns the folder of the engine's data, inside the engine's folder. */
export const dataPath = (dir: string): string => join(dir, 'data');

export interface ServerConfigOptions {
  readonly dir: string;
  /** Path of the users file, whose content `buildUsersConfig` returns. */
  readonly usersFile: string;
  readonly users: readonly ClickHouseUser[];
  readonly maxMemoryBytes: number;
  readonly secrets: EngineSecrets;
}

/** Secrets of one run of the engine, known only to its process. */
export interface EngineSecrets {
  /** Password of the user `popsvc_launcher`, as which this process checks readiness and ends the engine. */
  readonly launcherPassword: string;
  /** Value of `PROXY_SECRET_HEADER` in requests of the analysts' proxy. */
  readonly proxySecret: string;
}

/** Builds the server configuration, sized for one machine that also runs the other engines and the services. */
export const buildServerConfig = ({ dir, usersFile, users, maxMemoryBytes, secrets }: ServerConfigOptions): string =>
  toXml({
    clickhouse: {
      path: `${dataPath(dir)}/`,
      tmp_path: `${join(dir, 'tmp')}/`,
      users_config: usersFile,
      user_directories: { users_xml: { path: usersFile } },
      max_server_memory_usage: maxMemoryBytes,
      mark_cache_size: 128 * MIB,
      index_mark_cache_size: 32 * MIB,
      uncompressed_cache_size: 64 * MIB,
      background_pool_size: 4,
      // By default each table checks for parts to merge several times a second, for minutes after an insert, and occupies a thread
      // each time. An insert triggers a check of its own; the remaining checks can wait for seconds.
      background_processing_pool_thread_sleep_seconds_if_nothing_to_do: 2,
      background_processing_pool_task_sleep_seconds_when_no_work_multiplier: 1.5,
      background_streaming_processing_pool_thread_sleep_seconds_if_nothing_to_do: 600,
      background_schedule_pool_max_parallel_tasks_per_type_ratio: 1,
      max_concurrent_queries: 100,
      // By default up to 1,000 idle threads remain after a burst of queries, until the server ends.
      max_thread_pool_free_size: 32,
      // In seconds. A stop waits this long for idle connections; @clickhouse/client closes its idle connections after 2.5 s.
      keep_alive_timeout: 3,
      // Without this setting a read-only user cannot change any setting, not even the date format.
      access_control_improvements: { settings_constraints_replace_previous: 1 },
      http_handlers: buildHttpHandlers(users, secrets),
      logger: { log: join(dir, 'clickhouse.log'), size: '10M', count: 2 },
    },
  });

/** Header with the secret by which the engine recognizes requests of the analysts' proxy. */
export const PROXY_SECRET_HEADER = 'X-Popsvc-Proxy-Secret';

const queryHandler: Elements = { handler: { type: 'dynamic_query_handler', query_param_name: 'query' } };
const basicAuthorization = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** Rejects a request with ClickHouse's own error for a wrong password, which clients recognize. */
const rejectHandler: Elements = {
  type: 'static',
  status: 403,
  content_type: 'text/plain; charset=UTF-8',
  response_content:
    'Code: 516. DB::Exception: Authentication failed: this port is for the service. (AUTHENTICATION_FAILED)',
};

/**
 * Builds the rules that decide which HTTP requests may run a query: those with the credentials of a service, with the launcher's
 * password, or with the secret of the analysts' proxy. All others are rejected before their query is parsed. This protects the engine's
 * own user, which has no password: in this build the function `file` reads any file of the machine for any user with SELECT, and no grant
 * restricts it.
 */
const buildHttpHandlers = (
  users: readonly ClickHouseUser[],
  { launcherPassword, proxySecret }: EngineSecrets,
): Elements => ({
  rule: [
    { url: '/ping', methods: 'GET,HEAD', handler: { type: 'ping' } },
    { headers: { 'X-ClickHouse-User': LAUNCHER, 'X-ClickHouse-Key': launcherPassword }, ...queryHandler },
    { headers: { [PROXY_SECRET_HEADER]: proxySecret }, ...queryHandler },
    ...users.flatMap((user) =>
      user.role !== 'analyst' && 'password' in user
        ? [{ headers: { Authorization: basicAuthorization(user.name, user.password) }, ...queryHandler }]
        : [],
    ),
    { handler: rejectHandler },
  ],
});

/** Name of the ClickHouse user that checks readiness and ends the boot query. */
export const LAUNCHER = 'popsvc_launcher';

const maxQuotaSeconds = 315_360_000;

/** Builds the users file. The engine reads it once, at its start, and cannot create users by SQL. */
export const buildUsersConfig = (users: readonly ClickHouseUser[], launcherPassword: string): string =>
  toXml({
    clickhouse: {
      // Every profile inherits from `default`, so the limits of the boot user need a separate profile.
      profiles: { default: { implicit_select: 0 }, boot: bootProfile, launcher: {}, ...roleProfiles() },
      quotas: {
        // Allows exactly the boot queries. With one query more, any client on this machine could stop the listener as the boot user.
        boot: { interval: { duration: maxQuotaSeconds, queries: bootQueries.length } },
        launcher: {},
        // Each user has its own quota, because all users of a quota share its counters.
        ...Object.fromEntries(users.map(({ name, role }) => [name, toQuota(clickHouseRoles[role])])),
      },
      users: {
        default: bootUser,
        [LAUNCHER]: {
          ...toLogin({ password: launcherPassword }),
          profile: 'launcher',
          quota: 'launcher',
          grants: { query: ['GRANT KILL QUERY ON *.*', 'GRANT SELECT ON system.processes'] },
        },
        ...Object.fromEntries(
          users.map(({ name, role, ...secret }) => [
            name,
            { ...toLogin(secret), profile: role, quota: name, grants: { query: clickHouseRoles[role].grants } },
          ]),
        ),
      },
    },
  });

/**
 * User of the engine's boot session, which always logs in as `default`, without a password and from loopback. The user may only open the
 * listener, and its quota allows exactly the boot queries. After these, it can only run queries that compute constants, which the quota
 * does not count, within a small memory limit.
 */
const bootUser: Elements = {
  password: '',
  networks: { ip: ['127.0.0.1', '::1'] },
  profile: 'boot',
  quota: 'boot',
  grants: { query: 'GRANT SYSTEM LISTEN ON *.*' },
};
const bootMemoryBytes = 64 * MIB;
const bootProfile: Elements = {
  // Makes `clickhouse local` refuse an expression without SELECT, such as `1 + 1`, as a server does.
  implicit_select: 0,
  max_memory_usage: bootMemoryBytes,
  constraints: { max_memory_usage: { max: bootMemoryBytes } },
};

const sha256Hex = (password: string): string => createHash('sha256').update(password).digest('hex');

const toLogin = (secret: Secret): Elements => ({
  password_sha256_hex: 'password' in secret ? sha256Hex(secret.password) : secret.passwordSha256Hex,
  networks: { ip: ['127.0.0.1', '::1'] },
});

const roleProfiles = (): Elements =>
  Object.fromEntries(Object.entries(clickHouseRoles).map(([name, role]) => [name, toProfile(role)]));

const toProfile = ({ profile, bounds }: RoleDefinition): Elements => ({
  implicit_select: 0,
  ...profile,
  ...(bounds && {
    constraints: Object.fromEntries(Object.entries(bounds).map(([setting, bound]) => [setting, toConstraint(bound)])),
  }),
});

const toConstraint = ({ least, most, whenReadonly }: SettingBound): Elements => ({
  ...(least !== undefined && { min: least }),
  ...(most !== undefined && { max: most }),
  ...(whenReadonly && { changeable_in_readonly: '' }),
});

const toQuota = ({ quota }: RoleDefinition): Elements => (quota ? { interval: { duration: 3_600, ...quota } } : {});
