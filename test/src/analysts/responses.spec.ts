import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifiedRuns } from '@popsvc/read-models/tables';
import { markRunVerified } from '@popsvc/read-models/generations';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { read } from '../architecture/tree.fixture.ts';
import { blocksOf } from '../e2e/guide-blocks.fixture.ts';
import { type AnalystsSystem, startAnalystsSystem } from './analysts.fixture.ts';
import { fillGuide } from './guide.fixture.ts';

const page = 'docs/guides/analysts.md';
const tooManyRows = 'SELECT number FROM numbers(1000001)';

/** Reads a row of the guide's table of errors: the statuses of each of its codes. */
const readErrorRow = ([, codeCell = '', statusCell = '']: readonly string[]): readonly (readonly [
  string,
  readonly number[],
])[] => {
  const statuses = [...statusCell.matchAll(/\d{3}/g)].map(([status]) => Number(status));
  const codes = codeCell.match(/\d+/g) ?? statuses.map((status) => `none ${status}`);
  return codes.map((code, index) => [code, codes.length === statuses.length ? [statuses[index]!] : statuses]);
};

/** The statuses that the guide lists, by code. */
const documented = new Map(
  [...read(page).matchAll(/^\| (`\d.*?|none) +\| (`[45]\d\d`.*?) +\|/gm)].flatMap(readErrorRow),
);

describe('responses to analysts', () => {
  let world: AnalystsSystem;
  before(async () => {
    world = await startAnalystsSystem([
      { name: 'anna', networks: [1] },
      { name: 'bert', networks: [1] },
    ]);
    await fillGuide(world.system);
  });
  after(() => world.system.close());

  const send = async (
    sql: string,
    { parameters = '', password = world.analysts[0]!.password, headers = {}, name = 'anna' } = {},
  ) => {
    const response = await fetch(`${world.url}/?database=${world.database}${parameters}`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(`${name}:${password}`)}`, ...headers },
      body: sql,
    });
    const text = await response.text().catch(() => '');
    return { status: response.status, text, code: /^Code: (\d+)/.exec(text)?.[1] ?? 'none', headers: response.headers };
  };

  it('have the codes and statuses of the guide', async () => {
    const failing: readonly (readonly [string, string, string?])[] = [
      ['none 403', 'INSERT INTO plays VALUES (1)'],
      ['none 403', "SELECT editDistance('a', 'b')"],
      ['62', 'SELECT count( FROM plays'],
      ['47', 'SELECT no_such_column FROM plays'],
      ['60', 'SELECT * FROM play'],
      ['53', "SELECT count() FROM plays WHERE played_at > '2026-08-21T16:10:00Z'"],
      ['44', 'SELECT toTimeZone(played_at, timezone) FROM plays'],
      ['164', 'SELECT 1', '&max_block_size=1000'],
      ['159', 'SELECT count() FROM numbers(1e15) WHERE sipHash64(number) = 1', '&max_execution_time=1'],
      ['241', 'SELECT uniqExact(number) FROM numbers(1e9)'],
      ['396', tooManyRows, '&wait_end_of_query=1'],
      ['452', 'SELECT 1', '&max_threads=64'],
      ['497', `SELECT * FROM ${world.system.writer.database}.coffee_g1`],
      ['497', 'DROP VIEW plays'],
    ];
    for (const [key, sql, parameters = ''] of failing) {
      const { status, code, text } = await send(sql, { parameters });
      expect([key, status], `${sql}: ${text}`).to.deep.equal([
        code === 'none' ? `none ${status}` : code,
        documented.get(key)![0],
      ]);
    }
    const { status, code } = await send('SELECT 1', { password: 'wrong' });
    expect([code, [status]]).to.deep.equal(['516', documented.get('516')]);
    expect(documented.get('396')).to.deep.equal([500, 200]);
    expect([...documented.keys()].toSorted()).to.deep.equal(
      [...new Set([...failing.map(([key]) => key), 'none 503', '516', '201', '395'])].toSorted(),
    );
  });

  it('have error 395 while tables are being verified', async () => {
    await world.system.writer.run(`TRUNCATE TABLE ${verifiedRuns}`);
    const { status, code, text } = await send('SELECT count() FROM plays');
    await markRunVerified(world.system.writer);
    expect([code, [status]]).to.deep.equal(['395', documented.get('395')]);
    expect(text).to.include('The tables are being verified after a start of ClickHouse. Retry later.');
    expect((await send('SELECT count() FROM plays')).status).to.equal(200);
  });

  it('have error 201 after the rows of an hour', async () => {
    const ofBert = { name: 'bert', password: world.analysts[1]!.password };
    let last = await send('SELECT 1', ofBert);
    // An hour may end in between, so there are twice as many queries as an hour permits.
    for (let index = 0; index < 42 && last.status === 200; index++)
      last = await send('SELECT number FROM numbers(1000000) FORMAT Null', ofBert);
    expect([last.code, [last.status]], last.text).to.deep.equal(['201', documented.get('201')]);
    expect(last.text).to.match(/Interval will end at/);
  });

  it('say that queries are read-only if one inserts', async () => {
    for (const sql of ['INSERT INTO plays VALUES (1)', '-- a comment\ninsert into plays (event_id) values (1)']) {
      const { status, text } = await send(sql);
      expect([status, text]).to.deep.equal([403, 'Queries of analysts are read-only. See docs/guides/analysts.md.\n']);
    }
    expect((await send('SELECT x FROM values(1)')).text).to.match(/may not use the table function "values"/);
  });

  it('are compressed if the client accepts it', async () => {
    const sql = 'SELECT number FROM numbers(20000)';
    const { headers, text } = await send(sql, {
      parameters: '&enable_http_compression=1',
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(headers.get('content-encoding')).to.equal('gzip');
    expect(text.split('\n')).to.have.length(20_001);
    expect((await send(sql, { parameters: '&compress=1' })).status).to.equal(200);
  });

  describe('as the guide gets them with curl', () => {
    let folder: string;
    before(async () => {
      folder = await temporaryFolder('analysts');
    });

    /** Runs the command of the guide, changed by `change`, with a query. */
    const runCurl = async (sql: string, change: (command: string) => string = (command) => command) => {
      await writeFile(join(folder, 'query.sql'), sql);
      const command = blocksOf(page, 'sh')
        .flatMap((block) => /^curl .*\\\n.*$/m.exec(block)?.[0] ?? [])[0]!
        .replace('; cat result.csv', '')
        .replace('analyst:', 'anna:')
        .replace('http://localhost:8124', world.url)
        .replace('analysts_popsvc', world.database);
      const env = { ...process.env, PASSWORD: world.analysts[0]!.password };
      const exitCode = await new Promise<number>((resolve) => {
        execFile('sh', ['-c', change(command)], { cwd: folder, env }, (error) => resolve(Number(error?.code ?? 0)));
      });
      return { exitCode, text: await readFile(join(folder, 'result.csv'), 'utf8') };
    };

    it('are CSV with a header row, of a query with quotes', async () => {
      const sql = `SELECT campaign, count() AS plays FROM plays\nWHERE campaign = 'Coats' GROUP BY campaign_id, campaign;\n`;
      expect(await runCurl(sql)).to.deep.equal({ exitCode: 0, text: '"campaign","plays"\n"Coats",3\n' });
    });

    it('make curl exit with 22 on an error, and with 18 on one after the first rows', async () => {
      const waiting = await runCurl(tooManyRows);
      expect([waiting.exitCode, waiting.text.slice(0, 10)]).to.deep.equal([22, 'Code: 396.']);
      const streamed = await runCurl(tooManyRows, (command) => command.replace('&wait_end_of_query=1', ''));
      expect(streamed.exitCode).to.equal(18);
      expect(streamed.text.slice(0, 11)).to.equal('"number"\n0\n');
      expect(streamed.text.trimEnd()).to.match(/\n__exception__\r?\n\w+\r?\nCode: 396\.[^]*__exception__$/);
    });

    it('end soon after the limit, without a mark, with result_overflow_mode = break', async () => {
      const { exitCode, text } = await runCurl(tooManyRows.replace('1000001', '2000000'), (command) =>
        command.replace('wait_end_of_query=1', 'result_overflow_mode=break'),
      );
      const rows = text.trimEnd().split('\n').length - 1;
      expect(exitCode).to.equal(0);
      expect(rows).to.be.within(1_000_000, 1_010_000);
    });
  });
});
