import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { sharedClickHouse, sharedPostgres } from '../support/engines.ts';
import type { ErrorBody } from './refusals.fixture.ts';

const main = fileURLToPath(import.meta.resolve('../../../query-api/dist/main.js'));

const start = (env: Readonly<Record<string, string>>) =>
  spawn(process.execPath, ['--enable-source-maps', main], {
    env: { PATH: process.env['PATH'], LOG_LEVEL: 'info', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });

describe('the process of the reporting service', () => {
  let good: Record<string, string>;
  before(async () => {
    const engine = await sharedClickHouse();
    good = {
      QUERY_API_PORT: '0',
      CLICKHOUSE_URL: `${engine.url}/${await engine.database()}`,
      CLICKHOUSE_USER: engine.reader.username,
      CLICKHOUSE_PASSWORD: engine.reader.password,
      DATABASE_URL: await (await sharedPostgres()).freshDatabase(),
      POPSVC_OPERATOR_TOKEN: 'operator-token-of-the-test',
    };
  });

  const ended = async (child: ReturnType<typeof start>) => {
    const errors: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    const [code] = (await once(child, 'exit')) as [number | null];
    return { code, text: Buffer.concat(errors).toString() };
  };

  it('tells its port when it is ready, serves, and stops when asked', async () => {
    const child = start(good);
    const over = ended(child);
    let port = 0;
    for await (const line of createInterface(child.stdout)) {
      expect(line).not.contain(good['CLICKHOUSE_PASSWORD']);
      const told = JSON.parse(line) as { ready?: boolean; port?: number };
      if (told.ready) {
        port = told.port ?? 0;
        break;
      }
    }
    child.stdout.resume();
    const ready = await fetch(`http://127.0.0.1:${port}/readyz`);
    // Both stores answer, and the projectors have not been there yet.
    const { details } = ((await ready.json()) as ErrorBody).error;
    expect(details).deep.equal([{ path: 'schema', message: 'the projectors have not made progress yet' }]);
    expect((await fetch(`http://127.0.0.1:${port}/.well-known/jwks.json`)).status).equal(200);
    expect((await fetch(`http://127.0.0.1:${port}/api/v1/nothing`)).status).equal(404);
    child.kill('SIGTERM');
    expect((await over).code).equal(0);
  });

  it('stops with its parent when it is told to', async () => {
    const child = start({ ...good, STOP_WITH_PARENT: '1' });
    const over = ended(child);
    await once(child.stdout, 'data');
    child.stdout.resume();
    child.stdin.end();
    expect((await over).code).equal(0);
  });

  for (const [about, change, names] of [
    [
      'nothing is set',
      Object.fromEntries(
        ['CLICKHOUSE_URL', 'CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'DATABASE_URL'].map((name) => [name, '']),
      ),
      ['CLICKHOUSE_URL', 'CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'DATABASE_URL'],
    ],
    ['an address is none', { CLICKHOUSE_URL: 'localhost' }, ['CLICKHOUSE_URL']],
    ['the port is none', { QUERY_API_PORT: '70000' }, ['QUERY_API_PORT']],
    ['the identity provider is half set', { AUTH_ISSUER: 'https://id.example' }, ['AUTH_JWKS_URL', 'AUTH_AUDIENCE']],
  ] as const)
    it(`says which variable is wrong when ${about}`, async () => {
      const { code, text } = await ended(start({ ...good, ...change }));
      expect(code).equal(1);
      for (const name of names) expect(text).contain(name);
      expect(text).not.contain(good['CLICKHOUSE_PASSWORD']);
    });
});
