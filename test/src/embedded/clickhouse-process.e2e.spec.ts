import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clickHouseProcess, type ClickHouseUser } from '@popsvc/embedded/clickhouse';
import {
  choosePort,
  startSupervisedProcess,
  stopInReverseOrder,
  type SupervisedProcess,
} from '@popsvc/embedded/supervisor';
import { expect } from 'chai';
import { queryClickHouse } from '../support/engines.ts';
import { temporaryFolder } from '@popsvc/tools/rig';

const supervisor = fileURLToPath(new URL('./supervisor.fixture.js', import.meta.url));
const user: ClickHouseUser = { name: 'popsvc_writer', password: 'pass word', role: 'writer' };

describe('the process of the embedded ClickHouse', () => {
  let dir: string;
  let port: number;
  let processes: SupervisedProcess[] = [];
  const url = (): string => `http://127.0.0.1:${port}`;
  const query = async (sql: string): Promise<string> =>
    (await queryClickHouse(url(), { username: user.name, password: user.password }, sql)).text;
  const start = async (onPort = port): Promise<SupervisedProcess> => {
    const started = await startSupervisedProcess(clickHouseProcess({ dir, port: onPort, users: [user] }));
    processes.push(started);
    return started;
  };

  const chooseFolderAndPort = async () => {
    dir = await temporaryFolder('clickhouse-process');
    port = await choosePort(0, 'EMBEDDED_CLICKHOUSE_PORT');
  };
  const stopAll = async () => {
    await stopInReverseOrder(processes);
    processes = [];
  };

  describe('that nothing disturbs', () => {
    let engine: SupervisedProcess;
    before(async () => {
      await chooseFolderAndPort();
      engine = await start(0);
      port = Number(engine.readyLine()?.['port']);
      await query('CREATE DATABASE popsvc_test');
    });
    after(stopAll);

    it('prints the port that it chose', async () => {
      expect(port).to.be.greaterThan(0);
      expect(await query('SELECT 1')).to.equal('1');
    });

    it('does not keep its threads busy with idle tables', async () => {
      const tables = 30;
      for (let table = 0; table < tables; table += 1) {
        await query(`CREATE TABLE popsvc_test.t${table} (a UInt64) ENGINE = MergeTree ORDER BY a`);
        await query(`INSERT INTO popsvc_test.t${table} VALUES (1)`);
      }
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      // The log has a line for each time that the background threads had to wait: 120 with the server's defaults, 0 to 2 with this configuration.
      const pauses = readFileSync(join(dir, 'clickhouse.log'), 'utf8').split('pause scheduling').length - 1;
      expect(pauses).to.be.lessThan(tables / 3);
    });

    it('ends the threads of a burst of queries', async () => {
      const threads = (): number => readdirSync(`/proc/${engine.pid()}/task`).length;
      await query('CREATE TABLE popsvc_test.t (a UInt64, b String) ENGINE = MergeTree ORDER BY a');
      for (let inserts = 0; inserts < 4; inserts += 1)
        await query('INSERT INTO popsvc_test.t SELECT arrayJoin(range(150000)) AS a, toString(a)');
      const before = threads();
      const queries = 20;
      const grouped = 'SELECT b, count() FROM popsvc_test.t GROUP BY b ORDER BY b LIMIT 1';
      let maxThreads = 0;
      const watch = setInterval(() => (maxThreads = Math.max(maxThreads, threads())), 5);
      const answers = await Promise.all(Array.from({ length: queries }, () => query(grouped)));
      clearInterval(watch);
      expect(answers).to.deep.equal(answers.map(() => '0\t4'));
      expect(maxThreads - before).to.be.greaterThan(queries + 40);
      // Each open connection has a thread, and 32 idle threads may stay.
      expect(threads() - before).to.be.lessThan(queries + 40);
    });

    it('refuses a folder that another engine uses', async () => {
      expect(await start(0).catch((error: unknown) => String(error))).to.match(/could not start:[^]*status/);
      expect(await query('SELECT 1')).to.equal('1');
    });

    it('stops cleanly within 6 s while a client keeps its connection open', async () => {
      await query('CREATE TABLE popsvc_test.kept (a UInt64) ENGINE = MergeTree ORDER BY a AS SELECT 7');
      const agent = new Agent({ keepAlive: true });
      await new Promise((resolve, reject) => {
        request(`${url()}/ping`, { agent }, (answer) => answer.resume().once('end', resolve))
          .once('error', reject)
          .end();
      });
      const requestedAt = Date.now();
      await engine.stop();
      expect(Date.now() - requestedAt).to.be.lessThan(6_000);
      agent.destroy();
      expect(await engine.ended).to.deep.equal({ requested: true });
      const run = JSON.parse(readFileSync(join(dir, 'durable-run.json'), 'utf8')) as object;
      expect(run).to.include({ isStopped: true });
      await start();
      expect(await query('SELECT a FROM popsvc_test.kept')).to.equal('7');
    });
  });

  describe('that is killed or cannot start', () => {
    beforeEach(chooseFolderAndPort);
    afterEach(stopAll);

    it('keeps every acknowledged row when it is killed and started again', async () => {
      const engine = await start();
      await query('CREATE DATABASE popsvc_test');
      await query('CREATE TABLE popsvc_test.t (a UInt64) ENGINE = MergeTree ORDER BY a');
      let acknowledged = 0;
      const killed = new Promise<void>((resolve) => {
        setTimeout(() => {
          process.kill(engine.pid() ?? 0, 'SIGKILL');
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
      for (let tries = 0; tries < 200 && (await query('SELECT 1').catch(() => '')) !== '1'; tries += 1)
        await new Promise((resolve) => setTimeout(resolve, 50));
      const stored = (await query('SELECT count(), uniqExact(a), max(a) FROM popsvc_test.t')).split('\t').map(Number);
      // The row of the last, unacknowledged insert may be stored too.
      expect(stored[0]).to.be.oneOf([acknowledged, acknowledged + 1]);
      expect(stored).to.deep.equal([stored[0], stored[0], (stored[0] ?? 0) - 1]);
    });

    it('frees its port and folder at once when its parent is killed', async () => {
      const parent = spawn(process.execPath, [supervisor, dir, String(port)], { stdio: ['ignore', 'pipe', 'inherit'] });
      await new Promise((resolve) => parent.stdout.once('data', resolve));
      parent.kill('SIGKILL');
      await start();
      expect(await query('SELECT 1')).to.equal('1');
    });

    it('names a port in use and the variable that changes it', async () => {
      const other = await new Promise<Server>((resolve) => {
        const server: Server = createServer().listen(port, '127.0.0.1', () => resolve(server));
      });
      const failure = await start().catch((error: unknown) => String(error));
      await new Promise((resolve) => other.close(resolve));
      expect(failure).to.contain(`port ${port} is already in use`).and.to.contain('EMBEDDED_CLICKHOUSE_PORT');
    });

    it('names the files of a table that it cannot read', async () => {
      const engine = await start();
      await query('CREATE DATABASE popsvc_test');
      await query('CREATE TABLE popsvc_test.t (a UInt64) ENGINE = MergeTree ORDER BY a AS SELECT 7');
      await query('ALTER TABLE popsvc_test.t DELETE WHERE a = 7 SETTINGS mutations_sync = 1');
      await engine.stop();
      const store = join(dir, 'data', 'store');
      const [file] = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) => /mutation_/.test(name));
      writeFileSync(join(store, file!), 'not a mutation');
      const failure = await start().catch((error: unknown) => String(error));
      expect(failure).to.include(join(store, file!)).and.include(`move ${dir} away`);
    });

    it('names a damaged format version, with which every insert would fail', async () => {
      const engine = await start();
      await query('CREATE DATABASE popsvc_test');
      await query('CREATE TABLE popsvc_test.t (a UInt64) ENGINE = MergeTree ORDER BY a');
      await engine.stop();
      const store = join(dir, 'data', 'store');
      const [file] = readdirSync(store, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /format_ver/.test(name),
      );
      writeFileSync(join(store, file!), '3');
      const failure = await start().catch((error: unknown) => String(error));
      expect(failure)
        .to.include(`${join(store, file!)} is damaged`)
        .and.include(`move ${dir} away`);
    });

    it('names an invalid variable', async () => {
      const options = clickHouseProcess({ dir, port, users: [user] });
      const env = { ...options.env, EMBEDDED_CLICKHOUSE_USERS: '[{"name":"default"}]' };
      const failure = await startSupervisedProcess({ ...options, env }).catch((error: unknown) => String(error));
      expect(failure).to.contain('EMBEDDED_CLICKHOUSE_USERS');
      expect(existsSync(join(dir, 'data'))).to.equal(false);
    });
  });
});
