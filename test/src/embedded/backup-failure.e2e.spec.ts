import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
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

  it('leaves no frozen parts in the folder of ClickHouse', async () => {
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
    const args = [tool, 'create', service.dataDir, join(await temporaryFolder('backups'), 'failed')];
    const backup = spawn(process.execPath, args, { stdio: 'ignore' });
    const exited = once(backup, 'exit');
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
    expect((await exited)[0]).to.not.equal(0);
    expect(existsSync(shadow)).to.equal(false);
  });
});
