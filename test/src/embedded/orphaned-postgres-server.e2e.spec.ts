import { spawn, type ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@popsvc/embedded/postgres';
import { isProcessAlive } from '@popsvc/platform/runtime';
import { expect } from 'chai';
import { Client } from 'pg';
import { temporaryFolder } from '@popsvc/tools/rig';

const fixture = fileURLToPath(new URL('./orphaned-postgres-server.fixture.js', import.meta.url));

/** Starts a service that runs PostgreSQL on the folder; returns the service and the process id of PostgreSQL. */
const startParent = async (dir: string): Promise<{ service: ChildProcess; pid: number }> => {
  const child = spawn(process.execPath, [fixture, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = await new Promise<number>((resolve) => {
    createInterface(child.stdout).once('line', (line) => resolve(Number(line)));
  });
  return { service: child, pid };
};

/**
 * Starts the service below a parent that never reaps it: a shell that becomes `sleep`. Once it is killed, the service stays in the
 * process table as a zombie.
 */
const startUnreapedParent = async (dir: string): Promise<{ parent: ChildProcess; service: number; pid: number }> => {
  const script = '"$0" "$@" & echo $!; exec sleep 60';
  const parent = spawn('sh', ['-c', script, process.execPath, fixture, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface(parent.stdout)[Symbol.asyncIterator]();
  const readNumber = async () => Number(((await lines.next()) as { value: string }).value);
  return { parent, service: await readNumber(), pid: await readNumber() };
};

const kill = async (child: ChildProcess): Promise<void> => {
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
};

describe('an orphaned server of the embedded PostgreSQL', () => {
  it('is stopped by the next start, which keeps its data', async () => {
    const dir = await temporaryFolder('postgres');
    const { service: parent, pid } = await startParent(dir);
    await kill(parent);
    expect(isProcessAlive(pid), 'it outlives its parent').to.equal(true);
    const server = await startPostgres({ dataDir: dir, port: 0, password: 'x' });
    try {
      expect(isProcessAlive(pid)).to.equal(false);
      const client = new Client({ connectionString: server.url });
      await client.connect();
      const { rows } = await client.query<{ number: number }>('SELECT number FROM kept');
      await client.end();
      expect(rows).to.deep.equal([{ number: 7 }]);
    } finally {
      await server.stop();
    }
  });

  it('is stopped by the next start although its killed parent is a zombie', async () => {
    const dir = await temporaryFolder('postgres');
    const { parent, service, pid } = await startUnreapedParent(dir);
    process.kill(service, 'SIGKILL');
    try {
      expect(isProcessAlive(pid), 'it outlives its parent').to.equal(true);
      await (await startPostgres({ dataDir: dir, port: 0, password: 'x' })).stop();
      expect(isProcessAlive(pid)).to.equal(false);
    } finally {
      await kill(parent);
    }
  });

  it('that has ended does not prevent the next start if another program has its process id', async () => {
    const dir = await temporaryFolder('postgres');
    await (await startPostgres({ dataDir: dir, port: 0, password: 'x' })).stop();
    const other = spawn('sleep', ['60'], { stdio: 'ignore' });
    try {
      await writeFile(join(dir, 'cluster', 'postmaster.pid'), `${other.pid}\n${join(dir, 'cluster')}\n`);
      await (await startPostgres({ dataDir: dir, port: 0, password: 'x' })).stop();
      expect(isProcessAlive(other.pid!)).to.equal(true);
    } finally {
      await kill(other);
    }
  });

  it('is not stopped while its service runs; the start is refused', async () => {
    const dir = await temporaryFolder('postgres');
    const { service: parent, pid } = await startParent(dir);
    try {
      const second = await startPostgres({ dataDir: dir, port: 0, password: 'x' }).catch((error: unknown) =>
        String(error),
      );
      expect(second).to.contain('in use by a running service').and.to.contain(String(parent.pid));
      expect(isProcessAlive(pid)).to.equal(true);
    } finally {
      await kill(parent);
      await (await startPostgres({ dataDir: dir, port: 0, password: 'x' })).stop();
    }
  });
});
