import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { analystGrants, PROXY_USER } from '@popsvc/read-models/analysts';
import { generationTable } from '@popsvc/platform/clickhouse';
import { durableSinceMacro } from '@popsvc/read-models/tables';
import { type ClickHouseUser, clickHouseRoles, type RoleDefinition, type Secret, type SettingBound } from './roles.ts';

interface Elements {
  readonly [element: string]: Content | readonly Content[];
}
type Content = string | number | Elements;

/** The chdb library does not support ClickHouse's YAML format of configuration files. */
const toXml = (elements: Elements): string =>
  Object.entries(elements)
    .flatMap(([element, content]) => (isList(content) ? content : [content]).map((one) => elementToXml(element, one)))
    .join('\n');

const isList = (content: Content | readonly Content[]): content is readonly Content[] => Array.isArray(content);

const elementToXml = (element: string, content: Content): string =>
  `<${element}>${typeof content === 'object' ? `\n${toXml(content)}\n` : escapeXml(String(content))}</${element}>`;

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** When this query ends, the engine writes all data to disk and stops. */
export const BOOT_QUERY_ID = 'boot-main';

const bootQueries = [
  'SYSTEM START LISTEN HTTP',
  // Keeps the engine running: sleeps for about 30 years, and needs no grant on a table or a file.
  `SELECT count() FROM numbers(1000000000) WHERE NOT ignore(sleepEachRow(1))
   SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0, max_execution_time = 0`,
];

/** The command line is that of `clickhouse local`, which the chdb library runs. */
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

export const dataPath = (dir: string): string => join(dir, 'data');

export const FROZEN = 'popsvc_backup';

/** Frozen parts are hard links, which keep the files even if ClickHouse removes the parts. */
export const frozenPath = (dir: string): string => join(dataPath(dir), 'shadow', FROZEN);

export interface ServerConfigOptions {
  readonly dir: string;
  readonly usersFile: string;
  readonly users: readonly ClickHouseUser[];
  readonly maxMemoryBytes: number;
  readonly secrets: EngineSecrets;
  /** The field `since` of the `DurableRun`. */
  readonly durableSinceMs: number;
}

export interface EngineSecrets {
  readonly launcherPassword: string;
  readonly proxyPassword: string;
}

/** The limits assume that the other engines and the service's own processes run on the same machine. */
export const buildServerConfig = ({
  dir,
  usersFile,
  users,
  maxMemoryBytes,
  secrets,
  durableSinceMs,
}: ServerConfigOptions): string =>
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
      // By default, ClickHouse checks a table several times a second for minutes after an insert, and each check occupies a thread.
      // Every insert triggers a check anyway.
      background_processing_pool_thread_sleep_seconds_if_nothing_to_do: 2,
      background_processing_pool_task_sleep_seconds_when_no_work_multiplier: 1.5,
      background_streaming_processing_pool_thread_sleep_seconds_if_nothing_to_do: 600,
      background_schedule_pool_max_parallel_tasks_per_type_ratio: 1,
      max_concurrent_queries: 100,
      // By default, up to 1,000 idle threads remain after a burst of queries until the server stops.
      max_thread_pool_free_size: 32,
      // In seconds. A shutdown waits this long for idle connections. Must exceed the 2.5 s after which @clickhouse/client closes its
      // idle connections.
      keep_alive_timeout: 3,
      // Lets a read-only user change the settings that its constraints allow, such as the date format.
      access_control_improvements: { settings_constraints_replace_previous: 1 },
      http_handlers: buildHttpHandlers(users, secrets),
      macros: { [durableSinceMacro]: durableSinceMs },
      logger: { log: join(dir, 'clickhouse.log'), size: '10M', count: 2 },
    },
  });

const queryHandler: Elements = { handler: { type: 'dynamic_query_handler', query_param_name: 'query' } };
const basicAuthorization = (name: string, password: string) =>
  `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`;

/** Clients recognize ClickHouse's own error for a wrong password. */
const rejectHandler: Elements = {
  type: 'static',
  status: 403,
  content_type: 'text/plain; charset=UTF-8',
  response_content:
    'Code: 516. DB::Exception: Authentication failed: this port is for the service. (AUTHENTICATION_FAILED)',
};

/**
 * In chdb, any user with SELECT can read any file of the host with `file`. Except for `/ping`, requests without credentials of the service
 * are therefore rejected, even those of the engine's user `default`.
 */
const buildHttpHandlers = (
  users: readonly ClickHouseUser[],
  { launcherPassword, proxyPassword }: EngineSecrets,
): Elements => ({
  rule: [
    { url: '/ping', methods: 'GET,HEAD', handler: { type: 'ping' } },
    { headers: { 'X-ClickHouse-User': LAUNCHER, 'X-ClickHouse-Key': launcherPassword }, ...queryHandler },
    { headers: { 'X-ClickHouse-User': PROXY_USER, 'X-ClickHouse-Key': proxyPassword }, ...queryHandler },
    ...users.flatMap((user) =>
      user.role !== 'analyst' && 'password' in user
        ? [{ headers: { Authorization: basicAuthorization(user.name, user.password) }, ...queryHandler }]
        : [],
    ),
    { handler: rejectHandler },
  ],
});

export const SERVICE_DATABASE = 'popsvc';
const loginsTable = generationTable(analystGrants, 1);

export const passwordHashSql = `SELECT password_sha256 FROM ${SERVICE_DATABASE}.${loginsTable} FINAL WHERE user = {user:String} AND password_sha256 != ''`;

/** The user as which the process of the engine sends its own queries, for example to stop the engine. */
export const LAUNCHER = 'popsvc_launcher';

const maxQuotaSeconds = 315_360_000;

/** The engine reads this file once, at startup, and cannot create users with SQL. Analysts are not users of the engine. */
export const buildUsersConfig = (
  allUsers: readonly ClickHouseUser[],
  { launcherPassword, proxyPassword }: EngineSecrets,
): string => {
  const users = allUsers.filter(({ role }) => role !== 'analyst');
  return toXml({
    clickhouse: {
      // Every profile inherits from `default`, so the limits of the boot user need a separate profile.
      profiles: { default: { implicit_select: 0 }, boot: bootProfile, launcher: {}, ...roleProfiles() },
      quotas: {
        // Allows exactly the boot queries. With one more, the boot user, who has no password, could stop the listener.
        boot: { interval: { duration: maxQuotaSeconds, queries: bootQueries.length } },
        launcher: {},
        // All users of a quota share its counters, so each user has its own quota.
        ...Object.fromEntries(users.map(({ name, role }) => [name, toQuota(clickHouseRoles[role])])),
        // The quota counts by key, and the proxy sends the analyst's name as the key.
        [PROXY_USER]: { keyed: '', ...toQuota(clickHouseRoles.analyst) },
      },
      users: {
        default: bootUser,
        [LAUNCHER]: {
          ...toLogin({ password: launcherPassword }),
          profile: 'launcher',
          quota: 'launcher',
          grants: {
            query: [
              'GRANT KILL QUERY ON *.*',
              'GRANT SELECT ON system.processes',
              `GRANT SELECT ON ${SERVICE_DATABASE}.${loginsTable}`,
            ],
          },
        },
        [PROXY_USER]: {
          ...toLogin({ password: proxyPassword }),
          profile: 'analyst',
          quota: PROXY_USER,
          grants: { query: clickHouseRoles.analyst.grants },
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
};

/** The engine's user `default` has no password. The HTTP handlers reject its requests, and the boot queries use up its quota. */
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

const roleProfiles = (): Elements => ({
  ...Object.fromEntries(Object.entries(clickHouseRoles).map(([name, role]) => [name, toProfile(role)])),
  analyst: { ...toProfile(clickHouseRoles.analyst), ...limitsOfOneUser },
});

/** 0 means no limit. To the engine, all analysts are one user; the proxy limits the running queries. */
const limitsOfOneUser = { max_concurrent_queries_for_user: 0, max_memory_usage_for_user: 0 };

const toProfile = ({ profile, bounds }: RoleDefinition): Elements => ({
  implicit_select: 0,
  ...profile,
  ...(bounds && {
    constraints: Object.fromEntries(Object.entries(bounds).map(([setting, bound]) => [setting, toConstraint(bound)])),
  }),
});

const toConstraint = ({ least, most, except, whenReadonly }: SettingBound): Elements => ({
  ...(least !== undefined && { min: least }),
  ...(most !== undefined && { max: most }),
  ...(except !== undefined && { disallowed: except }),
  ...(whenReadonly && { changeable_in_readonly: '' }),
});

const toQuota = ({ quota }: RoleDefinition): Elements => (quota ? { interval: { duration: 3_600, ...quota } } : {});
