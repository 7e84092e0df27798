import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** How PostgreSQL's programs are run: as whom, and with which command in front. */
export interface Rights {
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly prefix: readonly string[];
}

/** `nobody`, on every Linux. */
const NOBODY = { uid: 65_534, gid: 65_534 };
const run = promisify(execFile);

/**
 * PostgreSQL refuses to run as root, so root runs it as nobody. Nobody cannot pass through root's private folders
 * (a checkout under /root, a temporary folder of mode 0700); there it gets the one capability to pass and read, by
 * setpriv, which every Debian, Ubuntu and Fedora has. The folder's own rights are never touched.
 */
export const rightsToReach = async (paths: readonly string[]): Promise<Rights> => {
  if (process.getuid?.() !== 0) return { prefix: [] };
  const ways: readonly Rights[] = [
    { user: NOBODY, prefix: [] },
    // The second one does more, and is what a container's root has.
    ...['dac_read_search', 'dac_override'].map((capability) => ({ prefix: withCapability(capability) })),
  ];
  for (const way of ways) if (await canReach(way, paths)) return way;
  throw new Error(
    `PostgreSQL does not run as root, and as uid ${NOBODY.uid} it cannot reach ${paths.join(' and ')}. ` +
      'Run the service as another user, install setpriv (Debian: util-linux) if there is none, or set DATA_DIR and keep the checkout where every user may pass through the folders above.',
  );
};

/** Who owns the files that PostgreSQL writes with these rights; undefined: whoever runs us. */
export const ownerOf = (rights: Rights): typeof NOBODY | undefined =>
  rights.user || rights.prefix.length > 0 ? NOBODY : undefined;

const withCapability = (capability: string): readonly string[] => [
  'setpriv',
  `--reuid=${NOBODY.uid}`,
  `--regid=${NOBODY.gid}`,
  '--clear-groups',
  `--inh-caps=+${capability}`,
  `--ambient-caps=+${capability}`,
  // Without this the kernel leaves the capability out when a program asks whether it may read a file.
  '--securebits=+no_setuid_fixup',
  '--',
];

/** Asked by the shell at its fixed place: a PATH may have no program `test`, and Node itself may be out of reach. */
const canReach = async ({ user, prefix }: Rights, paths: readonly string[]): Promise<boolean> => {
  try {
    for (const path of paths) {
      const [command, ...args] = [...prefix, '/bin/sh', '-c', 'test -x "$1"', 'sh', path];
      await run(command, args, { ...user, cwd: '/' });
    }
    return true;
  } catch {
    return false;
  }
};
