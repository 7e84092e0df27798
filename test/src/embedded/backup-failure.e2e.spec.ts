import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Service, startService, temporaryFolder, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { Client } from 'pg';

const tool = fileURLToPath(new URL('../../../embedded/dist/backup/backup-tool.js', import.meta.url));

describe('a backup of one machine that fails', function () {
  this.timeout(120_000);
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const connect = async (): Promise<Client> => {
    const readJson = async (name: string) =>
      JSON.parse(await readFile(join(service.dataDir, name), 'utf8')) as { readonly postgres: string };
    const [endpoints, secrets] = [await readJson('endpoints.json'), await readJson('secrets.json')];
    const client = new Client(`postgresql://popsvc:${secrets.postgres}@${endpoints.postgres}/popsvc`);
    await client.connect();
    return client;
  };

  /** The results of backups that the service reports. */
  const readRecord = async () =>
    JSON.parse(await readFile(join(service.dataDir, 'backup-record.json'), 'utf8')) as {
      readonly complete: { readonly folder: string } | null;
      readonly failure: { readonly error: string } | null;
    };

  const createBackup = async (folder: string) => {
    const args = [tool, 'create', service.dataDir, folder];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit') as Promise<[number]>]);
    return { code, stderr };
  };

  it('leaves neither frozen parts nor files of the backup, reports no stack trace and records the failure', async () => {
    const shadow = join(service.dataDir, 'clickhouse/data/shadow/popsvc_backup');
    const [first, second, watch] = [await connect(), await connect(), await connect()];
    const waitForWaiting = (mode: string) =>
      waitUntil(
        async () =>
          (
            await watch.query(
              `SELECT 1 FROM pg_locks JOIN pg_class ON relation = pg_class.oid
               WHERE relname = 'checkpoints' AND mode = $1 AND NOT granted`,
              [mode],
            )
          ).rowCount,
        (count) => count! > 0,
      );
    // The backup freezes the tables while it has its lock, and `second` gets the next one. The backup then waits for its checkpoints.
    await first.query('BEGIN; LOCK TABLE checkpoints IN ROW EXCLUSIVE MODE');
    const folder = join(await temporaryFolder('backups'), 'failed');
    const creating = createBackup(folder);
    await waitForWaiting('ShareLock');
    const locked = second.query('BEGIN; LOCK TABLE checkpoints IN ACCESS EXCLUSIVE MODE');
    await waitForWaiting('AccessExclusiveLock');
    await first.end();
    await locked;
    const wasFrozen = existsSync(shadow);
    await watch.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'popsvc backup'`,
    );
    await second.end();
    await watch.end();
    expect(wasFrozen).to.equal(true);
    const { code, stderr } = await creating;
    expect(code).to.not.equal(0);
    expect(existsSync(shadow)).to.equal(false);
    expect(existsSync(folder)).to.equal(false);
    expect(stderr).to.match(/^PostgreSQL reported an error .*create the backup again\n$/);
    const { complete, failure } = await readRecord();
    expect([complete, `${failure?.error}\n`]).to.deep.equal([null, stderr]);
  });

  it('succeeds after an earlier one failed on a full disk, which left the counter of freezes empty', async () => {
    await mkdir(join(service.dataDir, 'clickhouse/data/shadow'), { recursive: true });
    await writeFile(join(service.dataDir, 'clickhouse/data/shadow/increment.txt'), '');
    const folder = join(await temporaryFolder('backups'), 'next');
    expect(await createBackup(folder)).to.deep.equal({ code: 0, stderr: '' });
    expect(readdirSync(folder)).to.include('backup.json');
    expect(await readRecord())
      .to.deep.include({ failure: null })
      .and.to.have.nested.property('complete.folder', folder);
  });
});
