import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { OperatorError } from '@popsvc/platform/runtime';
import type { PostgresBinaries } from './binaries.ts';
import { fileOwner, postgresEnvironment, type Privileges } from './privileges.ts';

/** Name of the service's role and database. The role is not a superuser, so its SQL cannot read files on the host. */
export const SERVICE = 'popsvc';

export const clusterPath = (dataDir: string): string => join(dataDir, 'cluster');

/** What an operator does with damaged files. The folder `postgres` of a backup has tables, and no cluster. */
export const describeReplacement = (dataDir: string): string =>
  `replace ${dataDir} by the folder postgres of a DATA_DIR that popsvc restore filled from a backup`;

const [unfinishedName, passwordName] = ['cluster.unfinished', 'password'];

const refuseFilesWithoutCluster = (dataDir: string): void => {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : [];
  const other = names.find((name) => name !== unfinishedName && name !== passwordName);
  if (other === undefined) return;
  throw new OperatorError(
    `${join(dataDir, other)} exists, but ${clusterPath(dataDir)} does not, so the keys and accounts are missing: ` +
      `${describeReplacement(dataDir)}. To begin without any, remove ${dataDir}.`,
  );
};

/** Returns undefined if there is no cluster. Throws if the file with the version is damaged or missing, or if only the cluster is. */
export const readClusterVersion = (dataDir: string): number | undefined => {
  const cluster = clusterPath(dataDir);
  if (!existsSync(cluster)) {
    refuseFilesWithoutCluster(dataDir);
    return undefined;
  }
  const file = join(cluster, 'PG_VERSION');
  const text = existsSync(file) ? readFileSync(file, 'latin1') : undefined;
  if (text !== undefined && /^\d+\n?$/.test(text)) return Number(text);
  throw new OperatorError(
    `${file} is ${text === undefined ? 'missing' : 'damaged'}: it must contain the major version of PostgreSQL. ` +
      `Restore the file, or ${describeReplacement(dataDir)}.`,
  );
};

/**
 * Only a complete cluster gets the final folder name. The superuser's password is not stored, because no program logs in as superuser.
 */
export const createCluster = async (
  dataDir: string,
  binaries: PostgresBinaries,
  privileges: Privileges,
  password: string,
  signal?: AbortSignal,
) => {
  const unfinished = join(dataDir, unfinishedName);
  const passwordFile = join(dataDir, passwordName);
  rmSync(unfinished, { recursive: true, force: true });
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  const owner = fileOwner(privileges);
  if (owner) chownSync(passwordFile, owner.uid, owner.gid);
  try {
    const initdb = [join(binaries.dir, 'initdb'), '-D', unfinished, '-U', 'postgres', '-A', 'scram-sha-256'];
    const options = ['--data-checksums', '-E', 'UTF8', '--locale=C', '--no-instructions'];
    await run([...initdb, `--pwfile=${passwordFile}`, ...options], privileges, { signal });
  } finally {
    rmSync(passwordFile, { force: true });
  }
  const singleUser = [join(binaries.dir, 'postgres'), '--single', '-j', '-D', unfinished, 'postgres'];
  const quoted = `'${password.replaceAll("'", "''")}'`;
  const statements = [
    `CREATE ROLE ${SERVICE} LOGIN CREATEDB PASSWORD ${quoted}`,
    `CREATE DATABASE ${SERVICE} OWNER ${SERVICE}`,
  ];
  await run(singleUser, privileges, { statements, signal });
  renameSync(unfinished, clusterPath(dataDir));
};

/** The cluster must have been shut down cleanly. An interrupted run leaves it usable. Returns false if pg_checksums is not installed. */
export const enableChecksums = async (
  dataDir: string,
  binaries: PostgresBinaries,
  privileges: Privileges,
  signal?: AbortSignal,
): Promise<boolean> => {
  const program = join(binaries.dir, 'pg_checksums');
  if (!existsSync(program)) return false;
  await run([program, '--enable', '-D', clusterPath(dataDir)], privileges, { signal });
  return true;
};

/** Unlike PostgreSQL's own error, this one names the command that changes the owner. */
export const assertClusterOwner = (dataDir: string, privileges: Privileges): void => {
  const { uid } = statSync(clusterPath(dataDir));
  const requiredUid = fileOwner(privileges)?.uid ?? process.getuid?.();
  if (requiredUid !== undefined && uid !== requiredUid)
    throw new OperatorError(
      `${dataDir} belongs to uid ${uid} and PostgreSQL runs as uid ${requiredUid}: run chown -R ${requiredUid} ${dataDir}`,
    );
};

interface RunOptions {
  readonly statements?: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

const run = (
  command: readonly string[],
  { user, prefix }: Privileges,
  { statements = [], signal }: RunOptions,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const [program = '', ...args] = [...prefix, ...command];
    const child = spawn(program, args, {
      ...user,
      env: postgresEnvironment(),
      cwd: '/',
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(signal && { signal, killSignal: 'SIGKILL' as const }),
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
    child.once('error', reject);
    child.once('close', (code) => {
      // In single-user mode the exit code is 0 even if a statement fails.
      if (code === 0 && !/\b(ERROR|FATAL):/.test(output)) resolve();
      else
        reject(new OperatorError(`${basename(command[0] ?? '')} failed for the PostgreSQL cluster: ${output.trim()}`));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(statements.map((statement) => `${statement};\n\n`).join(''));
  });
