import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startPostgres } from '@popsvc/embedded/postgres';
import { isAlive } from '@popsvc/embedded/supervisor';
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
    expect(isAlive(pid), 'it outlives its parent').to.equal(true);
    const server = await startPostgres({ dataDir: dir, port: 0, password: 'x' });
    try {
      expect(isAlive(pid)).to.equal(false);
      const client = new Client({ connectionString: server.url });
      await client.connect();
      const { rows } = await client.query<{ number: number }>('SELECT number FROM kept');
      await client.end();
      expect(rows).to.deep.equal([{ number: 7 }]);
    } finally {
      await server.stop();
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
      expect(isAlive(pid)).to.equal(true);
    } finally {
      await kill(parent);
      await (await startPostgres({ dataDir: dir, port: 0, password: 'x' })).stop();
    }
  });
});
