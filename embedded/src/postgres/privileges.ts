import { execFile } from 'node:child_process';
import { chmodSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { OperatorError } from '@popsvc/platform/runtime';

/** `prefix` is a command that starts PostgreSQL's programs, such as setpriv; empty if they are started directly. */
export interface Privileges {
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly prefix: readonly string[];
}

const unprivilegedUser = { uid: 65_534, gid: 65_534 };
const run = promisify(execFile);

/**
 * PostgreSQL refuses to run as root. If uid 65534 cannot enter a private folder of root, setpriv grants it one capability instead of
 * changing the folder's permissions.
 */
export const findPrivileges = async (paths: readonly string[]): Promise<Privileges> => {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const candidates: readonly Privileges[] = [
    { user: unprivilegedUser, prefix: [] },
    // dac_override allows more than necessary, but unlike dac_read_search it is available to root in a container.
    ...['dac_read_search', 'dac_override'].map((capability) => ({ prefix: withCapability(capability) })),
  ];
  for (const candidate of candidates) if (await canReach(candidate, paths)) return candidate;
  throw new OperatorError(
    `PostgreSQL does not run as root, and as uid ${unprivilegedUser.uid} it cannot reach ${paths.join(' and ')}. ` +
      'Run the service as another user, install setpriv (Debian: util-linux) if there is none, or set DATA_DIR and keep the checkout where every user may pass through the folders above.',
  );
};

/** Returns undefined if PostgreSQL runs as this process's user. */
export const fileOwner = (privileges: Privileges): typeof unprivilegedUser | undefined =>
  privileges.user || privileges.prefix.length > 0 ? unprivilegedUser : undefined;

const variables = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LD_LIBRARY_PATH', 'TMPDIR', 'TZ'];

/** Every process of PostgreSQL's account can read this environment in /proc, so it lacks the secrets of the service. */
export const postgresEnvironment = (): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(variables.map((name) => [name, process.env[name]]));

const withCapability = (capability: string): readonly string[] => [
  'setpriv',
  `--reuid=${unprivilegedUser.uid}`,
  `--regid=${unprivilegedUser.gid}`,
  '--clear-groups',
  `--inh-caps=+${capability}`,
  `--ambient-caps=+${capability}`,
  // Without this bit the kernel ignores the capability when a program checks with access(2) whether it may read a file.
  '--securebits=+no_setuid_fixup',
  '--',
];

/** Uses the shell's built-in `test`, because PATH may lack a `test` program, and the user may not be allowed to execute Node.js. */
const canReach = async ({ user, prefix }: Privileges, paths: readonly string[]): Promise<boolean> => {
  try {
    for (const path of paths) {
      const [command, ...args] = [...prefix, '/bin/sh', '-c', 'test -x "$1"', 'sh', path];
      await run(command, args, { ...user, cwd: '/', env: postgresEnvironment() });
    }
    return true;
  } catch {
    return false;
  }
};

/** A folder of another account, such as a mounted volume, keeps its mode: only its owner and root can change the mode. */
export const restrictFolder = (path: string, mode: number): void => {
  const folder = statSync(path, { throwIfNoEntry: false });
  const account = process.getuid?.();
  if (folder && (account === 0 || folder.uid === account)) chmodSync(path, mode);
};
