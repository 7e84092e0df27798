import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { openPrivateJwk } from '@popsvc/http-kit/auth/tokens';
import { createSecretSealer, openPostgres, readCurrentSigningKey } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { type Service, startService } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { describeAsRoot } from '../support/run-conditions.ts';

/** The account that runs PostgreSQL if the service runs as root. Other programs of the machine may use it, too. */
const account = { uid: 65_534, gid: 65_534 };

/** Reads everything that the account can read of these files. */
const readAsAccount = async (paths: readonly string[]): Promise<Buffer> => {
  const child = spawn('xargs', ['-0', 'cat', '--'], { ...account, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(paths.join('\0'));
  return buffer(child.stdout);
};

/** Lists the files as root. The running service removes some meanwhile, which `find` reports and skips. */
const listFiles = (dir: string): readonly string[] =>
  spawnSync('find', [dir, '-type', 'f', '-print0'], { encoding: 'utf8', maxBuffer: 2 ** 26 })
    .stdout.split('\0')
    .filter((path) => path !== '');

const listEnvironments = (): readonly string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => `/proc/${pid}/environ`);

describeAsRoot('another process of the account of PostgreSQL', () => {
  const env = { UPLOAD_SIGNING_KEY: 'upload-signing-key-of-the-environment' };
  let service: Service;
  const url = `https://example.com/${randomUUID()}`;
  let kid: string;
  let secrets: Readonly<Record<string, string>>;

  before(async () => {
    service = await startService({ env });
    const { dataDir, credentials, endpoints } = service;
    const stored = JSON.parse(readFileSync(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
    const token = await fetch(credentials.token_url, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: credentials.client_id,
        client_secret: credentials.client_secret,
      }),
    });
    expect(token.status).to.equal(200);
    const operate = async (path: string, body: object) => {
      const answer = await fetch(`${credentials.ops_base_url}/ops/v1/webhooks${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${stored['operatorToken']}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.ok, await answer.clone().text()).to.equal(true);
      return (await answer.json()) as { id: string; secret: string };
    };
    const created = await operate('', { network: 1, url, types: ['job.finished'] });
    const rotated = await operate(`/${created.id}/rotate`, { overlap_seconds: 3_600 });
    const postgres = openPostgres({
      url: `postgresql://popsvc:${encodeURIComponent(stored['postgres']!)}@${endpoints.postgres}/popsvc`,
      log: createLog('test', 'silent'),
      name: 'test',
    });
    const key = (await readCurrentSigningKey(postgres))!;
    await postgres.end();
    kid = key.kid;
    secrets = {
      ...stored,
      ...env,
      'private key': openPrivateJwk(createSecretSealer(stored['encryptionKey']!), key).d!,
      'webhook secret': created.secret,
      'rotated webhook secret': rotated.secret,
    };
  });
  after(() => service.stop());

  const expectNoSecret = async () => {
    const files = listFiles(service.dataDir);
    const read = await readAsAccount([...files, ...listEnvironments()]);
    // It reads the WAL and tables of PostgreSQL, where the rows of the secrets are.
    expect(read.length).to.be.above(16 * 1_048_576);
    for (const text of [kid, url]) expect(read.includes(text), text).to.equal(true);
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret.length, name).to.be.above(20);
      expect(read.includes(secret), name).to.equal(false);
      expect(read.includes(Buffer.from(secret).toString('hex')), `${name} in hex`).to.equal(false);
    }
    return files;
  };

  it('reads no secret in any file of the running service', async () => {
    await expectNoSecret();
  });

  it('reads no file of the service except those of PostgreSQL', async () => {
    const others = listFiles(service.dataDir).filter((path) => !path.startsWith(join(service.dataDir, 'postgres')));
    expect(others.length).to.be.above(10);
    expect((await readAsAccount(others)).length).to.equal(0);
  });

  it('passes DATA_DIR, but cannot list it', () => {
    const modeOf = (name: string) => (statSync(join(service.dataDir, name)).mode & 0o777).toString(8);
    expect(['', 'postgres', 'clickhouse', 'event-store', 'uploads'].map(modeOf)).to.deep.equal([
      '711',
      '700',
      '700',
      '700',
      '700',
    ]);
  });

  it('reads no secret in any file of the stopped service', async () => {
    await service.stop();
    await expectNoSecret();
  });
});
