import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { idOf, marksIn } from '../tenants/marks.ts';
import { type Analyst, type AnalystsSystem, startAnalystsSystem } from './analysts.fixture.ts';
import { hostileQueries, pryingQueries } from './hostile-queries.ts';
import { fillMarked } from './isolation.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const networks = [1, 2, 3, 4];
/** Random networks of each analyst, different in each run; a further analyst has none. */
const drawn = fc.sample(fc.subarray(networks, { minLength: 1, maxLength: 3 }), isLong ? 5 : 2);
const wanted = [[], ...drawn].map((of, index) => ({ name: `ana_${index}`, networks: of.map((k) => idOf(k)) }));

describe(`analysts of ${JSON.stringify(drawn)}`, function () {
  let analysts: AnalystsSystem;
  let system: string;
  before(async () => {
    analysts = await startAnalystsSystem(wanted);
    system = analysts.system.writer.database;
    await fillMarked(analysts.system, networks);
  });
  after(() => analysts.system.close());

  const sees = ({ networks: of }: Analyst): readonly number[] =>
    of === 'all' ? networks : networks.filter((k) => of.includes(idOf(k)));
  const foreign = (who: Analyst, text: string) =>
    marksIn(text).filter(({ network }) => networks.includes(network) && !sees(who).includes(network));

  /** Marks of other networks in a response, except those in the query itself. */
  const leaks = (who: Analyst, sql: string, text: string): readonly string[] => {
    const query = sql.toLowerCase();
    return foreign(who, text).flatMap(({ text: mark }) =>
      query.includes(mark.toLowerCase()) ? [] : [`${sql}: ${mark}`],
    );
  };

  it('see the rows of their networks in every view, and no other row', async () => {
    for (const view of analysts.networkViews) {
      const counts = new Map<string, number>();
      for (const who of analysts.analysts) {
        const rows = await analysts.rows<{ network_id: number }>(who, `SELECT * FROM ${view}`);
        expect(foreign(who, JSON.stringify(rows)), `${who.username} ${view}`).to.deep.equal([]);
        const seen = [...new Set(rows.map(({ network_id }) => network_id))].sort();
        expect(seen, `${who.username} ${view}`).to.deep.equal(sees(who).map((k) => idOf(k)));
        counts.set(who.username, rows.length);
      }
      const each = counts.get('analyst')! / networks.length;
      for (const who of analysts.analysts) expect(counts.get(who.username), view).to.equal(each * sees(who).length);
    }
  });

  it('learn nothing about other networks from hostile queries and their errors', async () => {
    const [withoutNetworks, who] = analysts.analysts;
    /** Queries that succeed, with results that are empty or about the analyst's own rows. */
    const harmless =
      /system\.(columns|tables|databases|completions|projections|data_skipping|parts$)|information_schema|merge\(REGEXP|viewIfPermitted|^SHOW (DATABASES|ACCESS|TABLES|COLUMNS)|EXISTS|max_result_rows = 0|SET ROLE ALL/i;
    const violations: string[] = [];
    for (const sql of hostileQueries(system, analysts.database)) {
      const { ok, text } = await analysts.query(who!, sql);
      violations.push(...leaks(who!, sql, text));
      if (ok && !harmless.test(sql)) violations.push(`allowed: ${sql}`);
      if (isLong) violations.push(...leaks(withoutNetworks!, sql, (await analysts.query(withoutNetworks!, sql)).text));
    }
    expect(violations.join('\n')).to.equal('');
    for (const sql of [
      'SHOW DATABASES',
      'SELECT DISTINCT database FROM system.columns',
      'SELECT name FROM system.databases',
    ]) {
      const databases = (await analysts.query(who!, sql)).text.split('\n');
      expect(
        databases.filter((name) => !/^(system|information_schema)$/i.test(name)),
        sql,
      ).to.deep.equal([analysts.database]);
    }
    expect(await analysts.query(who!, 'SELECT * FROM system.parts')).to.deep.equal({ ok: true, text: '' });
  });

  it('cannot make ClickHouse evaluate a condition on rows of other networks', async () => {
    const failed: string[] = [];
    const views = isLong
      ? analysts.networkViews
      : ['plays', ...fc.sample(fc.constantFrom(...analysts.networkViews.slice(1)), 1)];
    for (const who of isLong ? analysts.analysts.slice(0, -1) : analysts.analysts.slice(1, 2))
      for (const view of views)
        for (const sql of pryingQueries(
          view,
          sees(who).map((k) => idOf(k)),
        )) {
          const { ok, text } = await analysts.query(who, sql);
          if (!ok) failed.push(`${who.username}: ${sql}: ${text.slice(0, 200)}`);
        }
    expect(failed.join('\n')).to.equal('');
  });

  it('cannot declare columns with expressions, whatever the table function', async () => {
    const functions = await analysts.system.writer.rows<{ name: string }>('SELECT name FROM system.table_functions');
    expect(functions.length).to.be.greaterThan(50);
    const columns = `concat('a UInt8, x String ALIAS concat(''sun'', ''flower'')')`;
    // Without the checks of the port, the engine evaluates them.
    const unchecked = await analysts.system.writer.rows<{ x: string }>(
      `SELECT x FROM generateRandom(${columns}) LIMIT 1`,
    );
    expect(unchecked).to.deep.equal([{ x: 'sunflower' }]);
    const shapes = [columns, `${columns}, 1`, `CSV, ${columns}, '1'`, `'a', 'CSV', ${columns}`];
    if (isLong) shapes.push(`'a', ${columns}`, `${columns}, '{}'`, `'CSV', ${columns}`, `'{}', ${columns}`);
    const evaluated: string[] = [];
    // Each analyst may have 500 failed queries an hour.
    let count = 0;
    for (const { name } of functions)
      for (const args of shapes) {
        const who = analysts.analysts[count++ % analysts.analysts.length]!;
        const sql = `SELECT x FROM ${name}(${args}) LIMIT 1`;
        const { text } = await analysts.query(who, sql);
        if (text.includes('sunflower') || text.includes('QUOTA')) evaluated.push(`${sql}: ${text}`);
      }
    expect(evaluated.join('\n')).to.equal('');
  });

  it('are caught by these tests if a view lacks its row filter', async () => {
    const who = analysts.analysts[1]!;
    const leaky = `${analysts.database}.leaky`;
    await analysts.system.writer.run(
      `CREATE VIEW ${leaky} DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT network_id, event_id FROM ${system}.coffee_live`,
    );
    try {
      const others = networks.length - sees(who).length;
      const sql = `SELECT * FROM ${leaky}`;
      expect(leaks(who, sql, (await analysts.query(who, sql)).text).length > 0).to.equal(others > 0);
      expect(
        others === 0 ||
          !(
            await analysts.query(
              who,
              pryingQueries(
                leaky,
                sees(who).map((k) => idOf(k)),
              )[0]!,
            )
          ).ok,
      ).to.equal(true);
    } finally {
      await analysts.system.writer.run(`DROP VIEW ${leaky}`);
    }
  });

  it('can log in only as themselves, and query only with uncompressed text', async () => {
    const { username, password } = analysts.analysts[1]!;
    const basic = { authorization: `Basic ${btoa(`${username}:${password}`)}` };
    const request = async (
      path: string,
      headers: Readonly<Record<string, string>>,
      body: string | Buffer = "SELECT splitByChar('/', queryID())[1]",
    ) => {
      const response = await fetch(analysts.url + path, { method: 'POST', headers, body: body as string });
      return [response.status, (await response.text()).trim()] as const;
    };
    expect(await request('/', basic)).to.deep.equal([200, username]);
    expect(await request(`/?user=${username}&password=${password}`, {})).to.deep.equal([200, username]);
    expect(await request('/', { 'x-clickhouse-user': username, 'x-clickhouse-key': password })).to.deep.equal([
      200,
      username,
    ]);
    const { username: writer, password: secret } = analysts.system.writer.credentials;
    for (const [path, headers] of [
      ['/', {}],
      ['/?user=default', basic],
      [`/?user=${username}&user=default`, {}],
      ['/', { ...basic, 'x-clickhouse-user': 'default' }],
      ['/', { authorization: 'Bearer x' }],
    ] as const)
      expect((await request(path, headers))[0], `${path} ${JSON.stringify(headers)}`).to.equal(401);
    for (const [path, headers] of [
      ['/?user=default', {}],
      ['/?user=popsvc_analysts', {}],
      [`/?user=${username}/x&password=${password}`, {}],
      ['/', { authorization: `Basic ${btoa(`${writer}:${secret}`)}` }],
      ['/', { authorization: `Basic ${btoa('popsvc_launcher:x')}` }],
      ['/', { authorization: `Basic ${btoa(`${username}:wrong`)}` }],
    ] as const) {
      const [status, text] = await request(path, headers);
      expect(`${status} ${text}`, path).to.match(/^403 Code: 516.*AUTHENTICATION_FAILED/);
    }
    expect(
      (await request('/', { ...basic, 'content-encoding': 'gzip' }, gzipSync(`SELECT file('/etc/hostname')`)))[0],
    ).to.equal(415);
    expect((await request('/?decompress=1', basic))[0]).to.equal(415);
    const parts = 'multipart/form-data; boundary=b';
    expect((await request('/', { ...basic, 'content-type': parts }, '--b--'))[0]).to.equal(415);
    expect((await request(`/?query=${encodeURIComponent('SELECT fi')}`, basic, "le('/etc/hostname')"))[0]).to.equal(
      400,
    );
    expect((await request(`/?query=SELECT+%66%69%6ce('/etc/hostname')`, basic, ''))[0]).to.equal(403);
    expect((await request('/?readonly=0', basic))[1]).to.match(/READONLY/);
    // The identity is the prefix of the id of the query, and sessions of analysts are separate.
    expect(await request('/?query_id=ana_2/x&quota_key=ana_2&session_id=s', basic)).to.deep.equal([200, username]);
    await request('/?session_id=s', basic, 'SET param_n = 7');
    expect((await request('/?session_id=s', basic, 'SELECT {n:UInt8}'))[1]).to.equal('7');
    const other = analysts.analysts[2]!;
    const basicOfOther = { authorization: `Basic ${btoa(`${other.username}:${other.password}`)}` };
    expect((await request('/?session_id=s', basicOfOther, 'SELECT {n:UInt8}'))[1]).to.match(/UNKNOWN_QUERY_PARAMETER/);
  });
});
