import { execFile } from 'node:child_process';
import { chmodSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { OperatorError } from '@popsvc/platform/runtime';

/**
 * The user that runs PostgreSQL's programs, and the command that starts the programs, such as setpriv. If `prefix` is empty, the
 * programs are started directly.
 */
export interface Privileges {
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly prefix: readonly string[];
}

/** Ids of the unprivileged user and group of Linux. */
const unprivilegedUser = { uid: 65_534, gid: 65_534 };
const run = promisify(execFile);

/**
 * Finds privileges that let PostgreSQL reach the paths. PostgreSQL refuses to run as root, so root runs it as uid 65534. If that
 * user cannot enter a private folder of root (a checkout under /root, a temporary folder with mode 0700), setpriv grants it one
 * capability instead of changing the folder's permissions. setpriv is part of Debian, Ubuntu and Fedora.
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

/**
 * Returns the user who owns the files that PostgreSQL creates with these privileges. Returns undefined if PostgreSQL runs as this
 * process's user.
 */
export const fileOwner = (privileges: Privileges): typeof unprivilegedUser | undefined =>
  privileges.user || privileges.prefix.length > 0 ? unprivilegedUser : undefined;

/** Variables that PostgreSQL's programs need. */
const variables = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'LD_LIBRARY_PATH', 'TMPDIR', 'TZ'];

/**
 * Returns the environment of PostgreSQL's programs. Every process of their account can read it in /proc, so it lacks the variables of
 * the service, some of which are secrets.
 */
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

/**
 * Checks whether PostgreSQL can reach the paths with these privileges. Uses the shell's built-in `test`, because PATH may lack a
 * `test` program and the user may not be allowed to execute Node.js.
 */
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

/**
 * Sets the mode of a folder, if it exists. A folder of another account, such as a mounted volume, keeps its mode, because only its owner
 * and root can change it.
 */
export const restrictFolder = (path: string, mode: number): void => {
  const folder = statSync(path, { throwIfNoEntry: false });
  const account = process.getuid?.();
  if (folder && (account === 0 || folder.uid === account)) chmodSync(path, mode);
};
