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
  this.timeout(120_000);
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
    for (const view of analysts.views) {
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
      /system\.(columns|tables|databases|completions|projections|data_skipping)|merge\(REGEXP|viewIfPermitted|^SHOW (DATABASES|ACCESS|TABLES|COLUMNS)|EXISTS|max_result_rows = 0|SET ROLE ALL/;
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
    ])
      expect((await analysts.query(who!, sql)).text, sql).to.equal(analysts.database);
  });

  it('cannot make ClickHouse evaluate a condition on rows of other networks', async () => {
    const failed: string[] = [];
    const views = isLong ? analysts.views : ['plays', ...fc.sample(fc.constantFrom(...analysts.views.slice(1)), 1)];
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
      body: string | Buffer = 'SELECT currentUser()',
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
      ['/?user=default', {}],
      ['/?user=default', basic],
      [`/?user=${username}&user=default`, {}],
      ['/', { ...basic, 'x-clickhouse-user': 'default' }],
      ['/', { authorization: `Basic ${btoa(`${writer}:${secret}`)}` }],
      ['/', { authorization: `Basic ${btoa('popsvc_launcher:x')}` }],
      ['/', { authorization: 'Bearer x' }],
    ] as const)
      expect((await request(path, headers))[0], `${path} ${JSON.stringify(headers)}`).to.equal(401);
    expect((await request('/', { ...basic, authorization: `Basic ${btoa(`${username}:wrong`)}` }))[1]).to.match(
      /AUTHENTICATION_FAILED/,
    );
    expect(
      (await request('/', { ...basic, 'content-encoding': 'gzip' }, gzipSync(`SELECT file('/etc/hostname')`)))[0],
    ).to.equal(415);
    expect((await request('/?decompress=1', basic))[0]).to.equal(415);
    const parts = 'multipart/form-data; boundary=b';
    expect((await request('/', { ...basic, 'content-type': parts }, '--b--'))[0]).to.equal(415);
    expect((await request(`/?query=${encodeURIComponent('SELECT fi')}`, basic, "le('/etc/hostname')"))[0]).to.equal(
      403,
    );
    expect((await request(`/?query=SELECT+%66%69%6ce('/etc/hostname')`, basic, ''))[0]).to.equal(403);
    expect((await request('/?readonly=0', basic))[1]).to.match(/READONLY/);
  });
});
