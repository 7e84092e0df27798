import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { analystErrors } from '@popsvc/read-models/analysts';
import { verifiedRuns } from '@popsvc/read-models/tables';
import { markRunVerified } from '@popsvc/read-models/generations';
import { temporaryFolder, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { read } from '../architecture/tree.fixture.ts';
import { blocksOf } from '../e2e/guide-blocks.fixture.ts';
import { type AnalystsSystem, startAnalystsSystem } from './analysts.fixture.ts';
import { fillGuide } from './guide.fixture.ts';

const page = 'docs/guides/analysts.md';
const tooManyRows = 'SELECT number FROM numbers(1000001)';

/** The statuses of the reference, by code, or by `none` and a status. */
const documented = new Map<string, readonly number[]>(
  analystErrors.flatMap(({ codes, statuses }) =>
    codes.length === 0
      ? statuses.map((status): [string, readonly number[]] => [`none ${status}`, [status]])
      : codes.map((code): [string, readonly number[]] => [String(code), statuses]),
  ),
);

describe('responses to analysts', () => {
  let world: AnalystsSystem;
  before(async () => {
    world = await startAnalystsSystem([
      { name: 'anna', networks: [1] },
      { name: 'bert', networks: [1] },
      { name: 'carl', networks: [1] },
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

  it('have the codes and statuses of the reference', async () => {
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
    for (const [status, message, request] of [
      [400, 'Send the query either in the parameter query or in the body.', { parameters: '&query=SELECT%201' }],
      [401, 'Send the name and password of an analyst in exactly one place', { parameters: '&user=anna' }],
      [413, 'A query has at most 1 MiB.', { sql: ' '.repeat(1024 * 1024 + 1) }],
      [415, 'Send the query uncompressed.', { parameters: '&decompress=1' }],
      [415, 'Send the query as text, not as multipart.', { headers: { 'content-type': 'multipart/form-data' } }],
    ] as const) {
      const { sql = 'SELECT 1', ...options } = request as Parameters<typeof send>[1] & { readonly sql?: string };
      const response = await send(sql, options);
      expect([response.status, response.text.slice(0, message.length)]).to.deep.equal([status, message]);
      expect(documented.has(`none ${status}`), String(status)).to.equal(true);
    }
    expect((await fetch(world.url, { method: 'PUT', body: 'SELECT 1' })).status).to.equal(405);
    const { status, code } = await send('SELECT 1', { password: 'wrong' });
    expect([code, [status]]).to.deep.equal(['516', documented.get('516')]);
    expect(documented.get('396')).to.deep.equal([500, 200]);
    expect([...documented.keys()].toSorted()).to.deep.equal(
      // analysts-proxy.spec provokes 503.
      [
        ...new Set([
          ...failing.map(([key]) => key),
          ...[400, 401, 405, 413, 415, 503].map((each) => `none ${each}`),
          ...['516', '201', '394', '395'],
        ]),
      ].toSorted(),
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

  it('have error 394 if the query is ended, as a revocation does', async () => {
    const running = send('SELECT count() FROM numbers(1e15) WHERE sipHash64(number) = 1', {
      parameters: '&wait_end_of_query=1',
    });
    const ofAnna = "WHERE startsWith(query_id, 'anna/')";
    await waitUntil(
      () => world.system.writer.rows(`SELECT 1 FROM system.processes ${ofAnna}`),
      (rows) => rows.length > 0,
    );
    await world.system.writer.run(`KILL QUERY ${ofAnna} ASYNC`);
    const { code, status } = await running;
    expect([code, [status]]).to.deep.equal(['394', documented.get('394')]);
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

  it('have error 201 for the next valid query after 500 failed ones, which count as no queries', async () => {
    const ofCarl = { name: 'carl', password: world.analysts[2]!.password };
    // An hour may end in between.
    const valid = 'SELECT count() FROM plays';
    let last = await send(valid, ofCarl);
    for (let attempt = 0; attempt < 2 && last.status === 200; attempt++) {
      for (let index = 0; index <= 500; index++) {
        const { code } = await send('SELECT no_such_column FROM plays', ofCarl);
        expect(code).to.equal('47');
      }
      last = await send(valid, ofCarl);
    }
    expect([last.code, [last.status]], last.text).to.deep.equal(['201', documented.get('201')]);
    expect(last.text).to.match(/errors = 50\d\/500/);
  });

  it('refuse what the guide lists, and accept what it suggests instead', async () => {
    const section = read(page).split('## Refused queries')[1]!.split('\n## ')[0]!;
    const rows = section.split('\n').filter((line) => /^\| .*`.*\|.*`.*\|.*`/.test(line));
    expect(rows).to.have.length(5);
    for (const row of rows) {
      const [refused = '', instead = ''] = row
        .split(' | ')
        .slice(-2)
        .map((cell) => /(`+) ?(.*?) ?\1/.exec(cell)![2]!);
      expect((await send(refused)).status, refused).to.equal(403);
      const accepted = await send(instead);
      expect(accepted.status, `${instead}: ${accepted.text}`).to.equal(200);
    }
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
      const command = /^(curl .*\\\n.*) <<'SQL'\n/m
        .exec(blocksOf(page, 'sh')[0]!)![1]!
        .replace('analyst:', 'anna:')
        .replace('http://localhost:8124', world.url)
        .replace('analysts_popsvc', world.database);
      const env = { ...process.env, PASSWORD: world.analysts[0]!.password };
      const script = `${change(command)} > result.csv <<'SQL'\n${sql}\nSQL\n`;
      const exitCode = await new Promise<number>((resolve) => {
        execFile('sh', ['-c', script], { cwd: folder, env }, (error) => resolve(Number(error?.code ?? 0)));
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
