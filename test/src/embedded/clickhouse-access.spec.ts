import { expect } from 'chai';
import { queryClickHouse, sharedClickHouse, type Credentials, type TestClickHouse } from '../support/engines.ts';

describe('embedded ClickHouse: rights', () => {
  let server: TestClickHouse;
  let database: string;
  const as = (user: Credentials | undefined) => (sql: string) => queryClickHouse(server.url, user, sql);
  const allowed = async (user: Credentials, sql: string): Promise<string> => {
    const { ok, text } = await as(user)(sql);
    expect(ok, `${sql}: ${text}`).to.equal(true);
    return text;
  };
  const refused = async (user: Credentials | undefined, sql: string, code: RegExp): Promise<void> => {
    const { ok, text } = await as(user)(sql);
    expect(ok, `${sql} was allowed: ${text}`).to.equal(false);
    expect(text).to.match(code);
  };

  before(async () => {
    server = await sharedClickHouse();
    database = await server.database();
    await allowed(
      server.writer,
      `CREATE TABLE ${database}.t (a UInt64, b UInt64) ENGINE = ReplacingMergeTree ORDER BY a`,
    );
    await allowed(server.writer, `INSERT INTO ${database}.t VALUES (1, 10), (2, 20)`);
    await allowed(server.writer, `CREATE VIEW ${database}.v AS SELECT * FROM ${database}.t FINAL`);
    const { username, password } = server.writer;
    await allowed(
      server.writer,
      `CREATE OR REPLACE DICTIONARY ${database}.d (a UInt64, b UInt64) PRIMARY KEY a LAYOUT(HASHED()) LIFETIME(0)
       SOURCE(CLICKHOUSE(USER '${username}' PASSWORD '${password}' DB '${database}' TABLE 't'))`,
    );
  });

  it('accepts users only with their password', async () => {
    expect(await allowed(server.reader, 'SELECT currentUser(), timezone()')).to.equal('popsvc_reader\tUTC');
    await refused({ ...server.reader, password: 'wrong' }, 'SELECT 1', /AUTHENTICATION_FAILED/);
    await refused({ username: 'popsvc_unknown', password: '' }, 'SELECT 1', /AUTHENTICATION_FAILED/);
  });

  it('accepts only queries of the service at its own port', async () => {
    const { username, password } = server.writer;
    for (const user of [undefined, server.analyst, { username: 'default', password: '' }, { username, password: 'x' }])
      for (const sql of [
        'SELECT 1',
        'SYSTEM STOP LISTEN HTTP',
        `SELECT * FROM ${database}.t`,
        "KILL QUERY WHERE query_id = 'boot-main'",
        // A function that no grant restricts.
        "SELECT file('/etc/hostname')",
      ])
        await refused(user, sql, /AUTHENTICATION_FAILED/);
    for (const [address, headers] of [
      [`${server.url}/?user=default`, {}],
      [`${server.url}/?user=default&query=SELECT+1`, { 'x-clickhouse-user': 'popsvc_launcher' }],
      [server.url, { 'x-clickhouse-user': username, 'x-clickhouse-key': password }],
      [server.url, { 'x-clickhouse-user': 'popsvc_analysts', 'x-clickhouse-key': '' }],
    ] as const) {
      const answer = await fetch(address, { method: 'POST', headers, body: 'SELECT 1' });
      expect([answer.status, await answer.text()].join(' ')).to.match(/^403 Code: 516.*AUTHENTICATION_FAILED/);
    }
  });

  it('allows the writer to define and change the service’s databases', async () => {
    for (const sql of [
      `CREATE TABLE ${database}.u AS ${database}.t`,
      `EXCHANGE TABLES ${database}.t AND ${database}.u`,
      `EXCHANGE TABLES ${database}.t AND ${database}.u`,
      `RENAME TABLE ${database}.u TO ${database}.w`,
      `ALTER TABLE ${database}.w ADD COLUMN c String`,
      `INSERT INTO ${database}.w (a, b, c) VALUES (3, 30, 'x')`,
      `ALTER TABLE ${database}.w DROP PARTITION tuple()`,
      `OPTIMIZE TABLE ${database}.w FINAL`,
      `TRUNCATE TABLE ${database}.w`,
      `CREATE OR REPLACE VIEW ${database}.v AS SELECT a, b FROM ${database}.t FINAL`,
      `SYSTEM RELOAD DICTIONARY ${database}.d`,
      `SYSTEM STOP MERGES ${database}.t`,
      `SYSTEM START MERGES ${database}.t`,
      'SELECT count() FROM system.parts',
      'SELECT count() FROM system.processes',
      'SELECT count() FROM system.settings',
      "KILL QUERY WHERE query_id = 'there is none'",
      `DROP TABLE ${database}.w`,
      `CREATE DATABASE ${database}_other`,
      `DROP DATABASE ${database}_other`,
    ])
      await allowed(server.writer, sql);
  });

  it('denies the writer the machine, the server and other databases', async () => {
    for (const sql of [
      'SYSTEM SHUTDOWN',
      'SYSTEM KILL',
      'SYSTEM STOP LISTEN HTTP',
      'CREATE DATABASE other',
      "SELECT * FROM file('/etc/passwd', LineAsString)",
      "SELECT * FROM url('http://127.0.0.1:1/', LineAsString)",
      `CREATE TABLE ${database}.f (a String) ENGINE = File(CSV, '/etc/passwd')`,
    ])
      await refused(server.writer, sql, /ACCESS_DENIED/);
  });

  it('allows readers to read the service’s databases, dictionaries included', async () => {
    const user = server.reader;
    expect(await allowed(user, `SELECT a, b FROM ${database}.v ORDER BY a`)).to.equal('1\t10\n2\t20');
    expect(await allowed(user, `SELECT dictGet('${database}.d', 'b', toUInt64(2))`)).to.equal('20');
    expect(await allowed(user, `SHOW TABLES FROM ${database}`)).to.equal('d\nt\nv');
  });

  it('denies readers writes, changes of limits and passwords', async () => {
    const user = server.reader;
    for (const sql of [
      `INSERT INTO ${database}.t VALUES (9, 9)`,
      `DROP TABLE ${database}.t`,
      `TRUNCATE TABLE ${database}.t`,
      `ALTER TABLE ${database}.t DELETE WHERE 1`,
      `CREATE TABLE ${database}.mine (a UInt8) ENGINE = MergeTree ORDER BY a`,
      `SYSTEM RELOAD DICTIONARY ${database}.d`,
      'SELECT count() FROM system.processes',
      "SELECT * FROM file('/etc/passwd', LineAsString)",
    ])
      await refused(user, sql, /ACCESS_DENIED|READONLY/);
    for (const setting of ['readonly = 0', 'max_execution_time = 86400', 'max_memory_usage = 100000000000'])
      expect((await as(user)(`SELECT 1 SETTINGS ${setting}`)).ok, setting).to.equal(false);
    const shown = await allowed(user, `SHOW CREATE DICTIONARY ${database}.d`);
    expect(shown).to.contain('PASSWORD').and.not.to.contain(server.writer.password);
    expect(await allowed(server.writer, `SELECT count() FROM ${database}.t`)).to.equal('2');
  });
});
