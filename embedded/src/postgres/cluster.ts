import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PostgresBinaries } from './binaries.ts';
import { ownerOf, type Rights } from './rights.ts';

/** The role the service logs in as, and its database. Not a superuser: SQL cannot read the machine's files. */
export const SERVICE = 'popsvc';

export const clusterPath = (dataDir: string): string => join(dataDir, 'cluster');

/** The major version that made the cluster, or undefined when there is none yet. */
export const majorOfCluster = (dataDir: string): number | undefined => {
  const file = join(clusterPath(dataDir), 'PG_VERSION');
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined;
};

/**
 * Makes the cluster, with the service's role and database in it. Under another name until it is whole, so that a
 * cluster is either complete or not there. The superuser's password is random and forgotten: nobody logs in as it.
 */
export const createCluster = async (dataDir: string, binaries: PostgresBinaries, rights: Rights, password: string) => {
  const unfinished = join(dataDir, 'cluster.unfinished');
  const passwordFile = join(dataDir, 'password');
  rmSync(unfinished, { recursive: true, force: true });
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  const owner = ownerOf(rights);
  if (owner) chownSync(passwordFile, owner.uid, owner.gid);
  try {
    const initdb = [join(binaries.dir, 'initdb'), '-D', unfinished, '-U', 'postgres', '-A', 'scram-sha-256'];
    await run([...initdb, `--pwfile=${passwordFile}`, '-E', 'UTF8', '--locale=C', '--no-instructions'], rights);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  const alone = [join(binaries.dir, 'postgres'), '--single', '-j', '-D', unfinished, 'postgres'];
  const quoted = `'${password.replaceAll("'", "''")}'`;
  await run(alone, rights, [
    `CREATE ROLE ${SERVICE} LOGIN CREATEDB PASSWORD ${quoted}`,
    `CREATE DATABASE ${SERVICE} OWNER ${SERVICE}`,
  ]);
  renameSync(unfinished, clusterPath(dataDir));
};

/** A cluster that another user made cannot be opened: says so, since PostgreSQL's own words name no way out. */
export const assertOwner = (dataDir: string, rights: Rights): void => {
  const { uid } = statSync(clusterPath(dataDir));
  const wanted = ownerOf(rights)?.uid ?? process.getuid?.();
  if (wanted !== undefined && uid !== wanted)
    throw new Error(
      `${dataDir} belongs to uid ${uid} and PostgreSQL runs as uid ${wanted}: chown -R ${wanted} ${dataDir}`,
    );
};

/** Runs a program to its end with these statements as its input; throws what it said when it fails. */
const run = (command: readonly string[], { user, prefix }: Rights, statements: readonly string[] = []): Promise<void> =>
  new Promise((resolve, reject) => {
    const [program = '', ...args] = [...prefix, ...command];
    const child = spawn(program, args, { ...user, cwd: '/', stdio: ['pipe', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (said += bytes.toString()));
    child.once('error', reject);
    child.once('close', (code) => {
      // In single-user mode a statement may fail and the program still end with 0.
      if (code === 0 && !/\b(ERROR|FATAL):/.test(said)) resolve();
      else reject(new Error(`PostgreSQL could not make its files: ${said.trim()}`));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(statements.map((statement) => `${statement};\n\n`).join(''));
  });
