import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { expect } from 'chai';
import { sharedClickHouse, sharedPostgres } from '../support/engines.ts';
import type { ErrorBody } from './refusals.fixture.ts';
import { encryptionKey } from '../support/test-sealer.ts';

const main = fileURLToPath(import.meta.resolve('../../../query-api/dist/main.js'));

const start = (env: Readonly<Record<string, string>>) =>
  spawn(process.execPath, ['--enable-source-maps', main], {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'info', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });

describe('the process of query-api', () => {
  let validEnv: Record<string, string>;
  before(async () => {
    const engine = await sharedClickHouse();
    validEnv = {
      QUERY_API_PORT: '0',
      CLICKHOUSE_URL: `${engine.url}/${await engine.database()}`,
      CLICKHOUSE_USER: engine.reader.username,
      CLICKHOUSE_PASSWORD: engine.reader.password,
      DATABASE_URL: await (await sharedPostgres()).freshDatabase(),
      POPSVC_OPERATOR_TOKEN: 'operator-token-of-the-test',
      POPSVC_ENCRYPTION_KEY: encryptionKey,
    };
  });

  const waitForExit = async (child: ReturnType<typeof start>) => {
    const errors: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    const [code] = (await once(child, 'exit')) as [number | null];
    return { code, text: Buffer.concat(errors).toString() };
  };

  it('prints its port when ready, serves, and stops on SIGTERM', async () => {
    const child = start(validEnv);
    const exit = waitForExit(child);
    let port = 0;
    for await (const line of createInterface(child.stdout)) {
      expect(line).not.contain(validEnv['CLICKHOUSE_PASSWORD']);
      const message = JSON.parse(line) as { ready?: boolean; port?: number };
      if (message.ready) {
        port = message.port ?? 0;
        break;
      }
    }
    child.stdout.resume();
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    // ClickHouse and PostgreSQL respond, and the projectors have not created the tables.
    const { details } = ((await ready.json()) as ErrorBody).error;
    expect(details).deep.equal([{ path: 'schema', message: 'the projectors have not created live_generations yet' }]);
    expect((await fetch(`http://127.0.0.1:${port}/.well-known/jwks.json`)).status).equal(200);
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/nothing`)).status).equal(404);
    child.kill('SIGTERM');
    expect((await exit).code).equal(0);
  });

  it('stops with its parent when STOP_WITH_PARENT is set', async () => {
    const child = start({ ...validEnv, STOP_WITH_PARENT: '1' });
    const exit = waitForExit(child);
    await once(child.stdout, 'data');
    child.stdout.resume();
    child.stdin.end();
    expect((await exit).code).equal(0);
  });

  it('refuses the database of one of several shards as the only one', async () => {
    const engine = await sharedClickHouse();
    const writer = openClickHouseWriter({
      url: `${engine.url}/popsvc_test_${randomBytes(6).toString('hex')}`,
      shard: { index: 1, of: 2 },
      ...engine.writer,
    });
    await writer.createDatabase();
    await writer.close();
    const { code, text } = await waitForExit(
      start({ ...validEnv, CLICKHOUSE_URL: `${writer.server}${writer.database}` }),
    );
    expect(code).equal(1);
    expect(text).match(
      /^database popsvc_test_\w+ on [\d.:]+ is shard 2 of 2, and CLICKHOUSE_URL lists it as shard 1 of 1: /m,
    );
    expect(text).not.contain('    at ');
  });

  for (const [about, change, names] of [
    [
      'nothing is set',
      Object.fromEntries(
        ['CLICKHOUSE_URL', 'CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'DATABASE_URL', 'POPSVC_ENCRYPTION_KEY'].map(
          (name) => [name, ''],
        ),
      ),
      ['CLICKHOUSE_URL', 'CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'DATABASE_URL', 'POPSVC_ENCRYPTION_KEY: is not set'],
    ],
    ['a URL is invalid', { CLICKHOUSE_URL: 'localhost' }, ['CLICKHOUSE_URL']],
    ['the encryption key is short', { POPSVC_ENCRYPTION_KEY: 'short' }, ['POPSVC_ENCRYPTION_KEY: is too short']],
    ['the port is invalid', { QUERY_API_PORT: '70000' }, ['QUERY_API_PORT']],
    ['the identity provider is partly set', { AUTH_ISSUER: 'https://id.example' }, ['AUTH_JWKS_URL', 'AUTH_AUDIENCE']],
  ] as const)
    it(`names the wrong variables when ${about}`, async () => {
      const { code, text } = await waitForExit(start({ ...validEnv, ...change }));
      expect(code).equal(1);
      for (const name of names) expect(text).contain(name);
      expect(text).not.contain(validEnv['CLICKHOUSE_PASSWORD']);
    });
});
