import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { idOf, marksIn } from '../tenants/marks.ts';
import { type Analyst, type AnalystsWorld, analystsWorld } from './analysts.fixture.ts';
import { hostileQueries, pryingQueries } from './hostile-queries.ts';
import { fillMarked } from './marked-world.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const networks = [1, 2, 3, 4];
/** Drawn anew in each run of the tests; one has none. */
const drawn = fc.sample(fc.subarray(networks, { minLength: 1, maxLength: 3 }), isLong ? 5 : 2);
const wanted = [[], ...drawn].map((of, index) => ({ name: `ana_${index}`, networks: of.map((k) => idOf(k)) }));

describe(`analysts of ${JSON.stringify(drawn)}`, function () {
  this.timeout(120_000);
  let world: AnalystsWorld;
  let system: string;
  before(async () => {
    world = await analystsWorld(wanted);
    system = world.system.writer.database;
    await fillMarked(world.system, networks);
  });
  after(() => world.system.close());

  const sees = ({ networks: of }: Analyst): readonly number[] =>
    of === 'all' ? networks : networks.filter((k) => of.includes(idOf(k)));
  const foreign = (who: Analyst, text: string) =>
    marksIn(text).filter(({ network }) => networks.includes(network) && !sees(who).includes(network));

  /** What an answer tells of networks that are not the asker's, but for what the asker said. */
  const leaks = (who: Analyst, sql: string, text: string): readonly string[] => {
    const said = sql.toLowerCase();
    return foreign(who, text).flatMap(({ text: mark }) =>
      said.includes(mark.toLowerCase()) ? [] : [`${sql}: ${mark}`],
    );
  };

  it('see their networks in every view, and no other row', async () => {
    for (const view of world.views) {
      const counts = new Map<string, number>();
      for (const who of world.analysts) {
        const rows = await world.rows<{ network_id: number }>(who, `SELECT * FROM ${view}`);
        expect(foreign(who, JSON.stringify(rows)), `${who.username} ${view}`).to.deep.equal([]);
        const seen = [...new Set(rows.map(({ network_id }) => network_id))].sort();
        expect(seen, `${who.username} ${view}`).to.deep.equal(sees(who).map((k) => idOf(k)));
        counts.set(who.username, rows.length);
      }
      const each = counts.get('analyst')! / networks.length;
      for (const who of world.analysts) expect(counts.get(who.username), view).to.equal(each * sees(who).length);
    }
  });

  it('get nothing by what hostile people try, and are told of nobody by an error', async () => {
    const [nobody, who] = world.analysts;
    /** What is answered, and is empty or their own. */
    const harmless =
      /system\.(columns|tables|databases|completions|projections|data_skipping)|merge\(REGEXP|viewIfPermitted|^SHOW (DATABASES|ACCESS|TABLES|COLUMNS)|EXISTS|max_result_rows = 0|SET ROLE ALL/;
    const told: string[] = [];
    for (const sql of hostileQueries(system, world.database)) {
      const { ok, text } = await world.ask(who!, sql);
      told.push(...leaks(who!, sql, text));
      if (ok && !harmless.test(sql)) told.push(`allowed: ${sql}`);
      if (isLong) told.push(...leaks(nobody!, sql, (await world.ask(nobody!, sql)).text));
    }
    expect(told.join('\n')).to.equal('');
    for (const sql of [
      'SHOW DATABASES',
      'SELECT DISTINCT database FROM system.columns',
      'SELECT name FROM system.databases',
    ])
      expect((await world.ask(who!, sql)).text, sql).to.equal(world.database);
  });

  it('have no row of others looked at by a condition of theirs', async () => {
    const failed: string[] = [];
    const views = isLong ? world.views : ['plays', ...fc.sample(fc.constantFrom(...world.views.slice(1)), 1)];
    for (const who of isLong ? world.analysts.slice(0, -1) : world.analysts.slice(1, 2))
      for (const view of views)
        for (const sql of pryingQueries(
          view,
          sees(who).map((k) => idOf(k)),
        )) {
          const { ok, text } = await world.ask(who, sql);
          if (!ok) failed.push(`${who.username}: ${sql}: ${text.slice(0, 200)}`);
        }
    expect(failed.join('\n')).to.equal('');
  });

  it('are found out by these tests where a view leaves its guard away', async () => {
    const who = world.analysts[1]!;
    const leaky = `${world.database}.leaky`;
    await world.system.writer.run(
      `CREATE VIEW ${leaky} DEFINER = CURRENT_USER SQL SECURITY DEFINER AS SELECT network_id, event_id FROM ${system}.coffee_live`,
    );
    try {
      const others = networks.length - sees(who).length;
      const sql = `SELECT * FROM ${leaky}`;
      expect(leaks(who, sql, (await world.ask(who, sql)).text).length > 0).to.equal(others > 0);
      expect(
        others === 0 ||
          !(
            await world.ask(
              who,
              pryingQueries(
                leaky,
                sees(who).map((k) => idOf(k)),
              )[0]!,
            )
          ).ok,
      ).to.equal(true);
    } finally {
      await world.system.writer.run(`DROP VIEW ${leaky}`);
    }
  });

  it('are heard only as who they are, and in plain text', async () => {
    const { username, password } = world.analysts[1]!;
    const basic = { authorization: `Basic ${btoa(`${username}:${password}`)}` };
    const ask = async (
      path: string,
      headers: Readonly<Record<string, string>>,
      body: string | Buffer = 'SELECT currentUser()',
    ) => {
      const answer = await fetch(world.url + path, { method: 'POST', headers, body: body as string });
      return [answer.status, (await answer.text()).trim()] as const;
    };
    expect(await ask('/', basic)).to.deep.equal([200, username]);
    expect(await ask(`/?user=${username}&password=${password}`, {})).to.deep.equal([200, username]);
    expect(await ask('/', { 'x-clickhouse-user': username, 'x-clickhouse-key': password })).to.deep.equal([
      200,
      username,
    ]);
    const { username: writer, password: secret } = world.system.writer.credentials;
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
      expect((await ask(path, headers))[0], `${path} ${JSON.stringify(headers)}`).to.equal(401);
    expect((await ask('/', { ...basic, authorization: `Basic ${btoa(`${username}:wrong`)}` }))[1]).to.match(
      /AUTHENTICATION_FAILED/,
    );
    expect(
      (await ask('/', { ...basic, 'content-encoding': 'gzip' }, gzipSync(`SELECT file('/etc/hostname')`)))[0],
    ).to.equal(415);
    expect((await ask('/?decompress=1', basic))[0]).to.equal(415);
    const parts = 'multipart/form-data; boundary=b';
    expect((await ask('/', { ...basic, 'content-type': parts }, '--b--'))[0]).to.equal(415);
    expect((await ask(`/?query=${encodeURIComponent('SELECT fi')}`, basic, "le('/etc/hostname')"))[0]).to.equal(403);
    expect((await ask(`/?query=SELECT+%66%69%6ce('/etc/hostname')`, basic, ''))[0]).to.equal(403);
    expect((await ask('/?readonly=0', basic))[1]).to.match(/READONLY/);
  });
});
