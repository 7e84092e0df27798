import { createHash } from 'node:crypto';
import { BOOT_QUERIES } from './boot.ts';
import { type SettingBound, clickHouseRoles, type RoleDefinition } from './roles.ts';
import type { ClickHouseUser, Secret } from './settings.ts';
import { toXml, type Elements } from './xml.ts';

/** Ends the boot query; known to the launcher alone, with a password that is new at each start. */
export const LAUNCHER = 'popsvc_launcher';

const LONGEST_SECONDS = 315_360_000;

/** The users file. The engine reads it once, when it starts, and can create no user by SQL. */
export const usersFile = (users: readonly ClickHouseUser[], launcherPassword: string): string =>
  toXml({
    clickhouse: {
      // What `default` says every profile inherits, so the boot user's limits are a profile of their own.
      profiles: { default: { implicit_select: 0 }, boot: bootProfile, launcher: {}, ...mapRoles(profileOf) },
      quotas: {
        boot: { interval: { duration: LONGEST_SECONDS, queries: BOOT_QUERIES } },
        launcher: {},
        // One of its own for each user: what a quota counts is shared by all who have it.
        ...Object.fromEntries(users.map(({ name, role }) => [name, quotaOf(clickHouseRoles[role])])),
      },
      users: {
        default: bootUser,
        [LAUNCHER]: {
          ...login({ password: launcherPassword }),
          profile: 'launcher',
          quota: 'launcher',
          grants: { query: ['GRANT KILL QUERY ON *.*', 'GRANT SELECT ON system.processes'] },
        },
        ...Object.fromEntries(
          users.map(({ name, role, ...secret }) => [
            name,
            { ...login(secret), profile: role, quota: name, grants: { query: clickHouseRoles[role].grants } },
          ]),
        ),
      },
    },
  });

/**
 * The engine's boot session logs in as `default`, without a password and from loopback: that is built in. So `default`
 * has one right, to open the listener, and a quota of exactly the boot's queries. After that it can do sums on
 * constants in little memory, which the quota does not count, and nothing else.
 */
const bootUser: Elements = {
  password: '',
  networks: { ip: ['127.0.0.1', '::1'] },
  profile: 'boot',
  quota: 'boot',
  grants: { query: 'GRANT SYSTEM LISTEN ON *.*' },
};
const BOOT_MEMORY = 64 * 1024 * 1024;
const bootProfile: Elements = {
  // The local program allows `1 + 1` without SELECT; a server does not.
  implicit_select: 0,
  max_memory_usage: BOOT_MEMORY,
  constraints: { max_memory_usage: { max: BOOT_MEMORY } },
};

const sha256Hex = (password: string): string => createHash('sha256').update(password).digest('hex');

const login = (secret: Secret): Elements => ({
  password_sha256_hex: 'password' in secret ? sha256Hex(secret.password) : secret.passwordSha256Hex,
  networks: { ip: ['127.0.0.1', '::1'] },
});

const profileOf = ({ profile, bounds }: RoleDefinition): Elements => ({
  implicit_select: 0,
  ...profile,
  ...(bounds && {
    constraints: Object.fromEntries(Object.entries(bounds).map(([setting, bound]) => [setting, constraint(bound)])),
  }),
});

const constraint = ({ least, most, whenReadonly }: SettingBound): Elements => ({
  ...(least !== undefined && { min: least }),
  ...(most !== undefined && { max: most }),
  ...(whenReadonly && { changeable_in_readonly: '' }),
});

const quotaOf = ({ quota }: RoleDefinition): Elements => (quota ? { interval: { duration: 3_600, ...quota } } : {});

const mapRoles = (make: (role: RoleDefinition) => Elements): Elements =>
  Object.fromEntries(Object.entries(clickHouseRoles).map(([name, role]) => [name, make(role)]));
