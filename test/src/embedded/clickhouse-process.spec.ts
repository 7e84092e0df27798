import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clickHouseEntry, buildClickHouseEnv, type ClickHouseUser } from '@popsvc/embedded/clickhouse';
import {
  choosePort,
  startSupervisedProcess,
  stopInReverseOrder,
  type SupervisedProcess,
} from '@popsvc/embedded/supervisor';
import { expect } from 'chai';
import { queryClickHouse, temporaryFolder } from '../support/engines.ts';

const supervisor = fileURLToPath(new URL('./supervisor.fixture.js', import.meta.url));
const user: ClickHouseUser = { name: 'popsvc_writer', password: 'pass word', role: 'writer' };

describe('embedded ClickHouse: its process', () => {
  let dir: string;
  let port: number;
  let parts: SupervisedProcess[] = [];
  const url = (): string => `http://127.0.0.1:${port}`;
  const ask = async (sql: string): Promise<string> =>
    (await queryClickHouse(url(), { username: user.name, password: user.password }, sql)).text;
  const start = async (onPort = port): Promise<SupervisedProcess> => {
    const part = await startSupervisedProcess({
      name: 'clickhouse',
      run: { entry: clickHouseEntry },
      env: buildClickHouseEnv({ dir, port: onPort, users: [user] }),
      ready: 'json-line',
    });
    parts.push(part);
    return part;
  };

  beforeEach(async () => {
    dir = await temporaryFolder('clickhouse-process');
    port = await choosePort(0, 'EMBEDDED_CLICKHOUSE_PORT');
  });
  afterEach(async () => {
    await stopInReverseOrder(parts);
    parts = [];
  });

  it('tells the port it chose', async () => {
    const part = await start(0);
    port = Number(part.readyLine()?.['port']);
    expect(await ask('SELECT 1')).to.equal('1');
  });

  it('keeps every acknowledged row when it is killed and started again', async () => {
    const part = await start();
    await ask('CREATE DATABASE popsvc_test');
    await ask('CREATE TABLE popsvc_test.t (a UInt64) ENGINE = MergeTree ORDER BY a');
    let acknowledged = 0;
    const killed = new Promise<void>((resolve) => {
      setTimeout(() => {
        process.kill(part.pid() ?? 0, 'SIGKILL');
        resolve();
      }, 700);
    });
    for (let row = 0; ; row += 1) {
      const answer = await queryClickHouse(
        url(),
        { username: user.name, password: user.password },
        `INSERT INTO popsvc_test.t VALUES (${row})`,
      ).catch(() => undefined);
      if (!answer?.ok) break;
      acknowledged = row + 1;
    }
    await killed;
    expect(acknowledged).to.be.greaterThan(5);
    for (let tries = 0; tries < 200 && (await ask('SELECT 1').catch(() => '')) !== '1'; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    const stored = (await ask('SELECT count(), uniqExact(a), max(a) FROM popsvc_test.t')).split('\t').map(Number);
    // The row under way when it died may be there too, though nobody was told.
    expect(stored[0]).to.be.oneOf([acknowledged, acknowledged + 1]);
    expect(stored).to.deep.equal([stored[0], stored[0], (stored[0] ?? 0) - 1]);
  });

  it('leaves its tables alone while nothing happens to them', async () => {
    await start();
    await ask('CREATE DATABASE popsvc_test');
    const tables = 30;
    for (let table = 0; table < tables; table += 1) {
      await ask(`CREATE TABLE popsvc_test.t${table} (a UInt64) ENGINE = MergeTree ORDER BY a`);
      await ask(`INSERT INTO popsvc_test.t${table} VALUES (1)`);
    }
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    // One line for each time that its threads were in each other's way: 120 as the server comes, none to two of these here.
    const inTheWay = readFileSync(join(dir, 'clickhouse.log'), 'utf8').split('pause scheduling').length - 1;
    expect(inTheWay).to.be.lessThan(tables / 3);
  });

  it('lets threads go that it needed for a moment', async () => {
    const part = await start();
    const threads = (): number => readdirSync(`/proc/${part.pid()}/task`).length;
    await ask('CREATE DATABASE popsvc_test');
    await ask('CREATE TABLE popsvc_test.t (a UInt64, b String) ENGINE = MergeTree ORDER BY a');
    for (let parts = 0; parts < 4; parts += 1)
      await ask('INSERT INTO popsvc_test.t SELECT arrayJoin(range(150000)) AS a, toString(a)');
    const before = threads();
    const asked = 20;
    const grouped = 'SELECT b, count() FROM popsvc_test.t GROUP BY b ORDER BY b LIMIT 1';
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, threads())), 5);
    const answers = await Promise.all(Array.from({ length: asked }, () => ask(grouped)));
    clearInterval(watch);
    expect(answers).to.deep.equal(answers.map(() => '0\t4'));
    expect(most - before).to.be.greaterThan(asked + 40);
    // Each connection has a thread as long as it is open, and 32 may stay.
    expect(threads() - before).to.be.lessThan(asked + 40);
  });

  it('is out of the way at once when its parent was killed', async () => {
    const parent = spawn(process.execPath, [supervisor, dir, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => parent.stdout.once('data', resolve));
    parent.kill('SIGKILL');
    await start();
    expect(await ask('SELECT 1')).to.equal('1');
  });

  it('stops cleanly within seconds, also while a client keeps its connection', async () => {
    const part = await start();
    await ask('CREATE DATABASE popsvc_test');
    await ask('CREATE TABLE popsvc_test.t (a UInt64) ENGINE = MergeTree ORDER BY a AS SELECT 7');
    const agent = new Agent({ keepAlive: true });
    await new Promise((resolve, reject) => {
      request(`${url()}/ping`, { agent }, (answer) => answer.resume().once('end', resolve))
        .once('error', reject)
        .end();
    });
    const askedAt = Date.now();
    await part.stop();
    expect(Date.now() - askedAt).to.be.lessThan(6_000);
    agent.destroy();
    expect(await part.ended).to.deep.equal({ requested: true });
    await start();
    expect(await ask('SELECT a FROM popsvc_test.t')).to.equal('7');
  });

  it('names the port that is taken and the variable that moves it', async () => {
    const other = await new Promise<Server>((resolve) => {
      const server: Server = createServer().listen(port, '127.0.0.1', () => resolve(server));
    });
    const failure = await start().catch((error: unknown) => String(error));
    await new Promise((resolve) => other.close(resolve));
    expect(failure).to.contain(`port ${port} is already in use`).and.to.contain('EMBEDDED_CLICKHOUSE_PORT');
  });

  it('refuses a folder that another engine has open', async () => {
    await start();
    expect(await start(0).catch((error: unknown) => String(error))).to.match(/could not start:[^]*status/);
    expect(await ask('SELECT 1')).to.equal('1');
  });

  it('names a wrong variable', async () => {
    const env = {
      ...buildClickHouseEnv({ dir, port, users: [user] }),
      EMBEDDED_CLICKHOUSE_USERS: '[{"name":"default"}]',
    };
    const failure = await startSupervisedProcess({
      name: 'clickhouse',
      run: { entry: clickHouseEntry },
      env,
      ready: 'json-line',
    }).catch((error: unknown) => String(error));
    expect(failure).to.contain('EMBEDDED_CLICKHOUSE_USERS');
    expect(existsSync(join(dir, 'data'))).to.equal(false);
  });
});
