import { roleStatements, userStatements } from '@popsvc/ops-api/analysts';
import { expect } from 'chai';
import { type AnalystsWorld, analystsWorld } from './analysts.fixture.ts';

describe('limits of analysts', function () {
  this.timeout(60_000);
  let world: AnalystsWorld;
  before(async () => {
    world = await analystsWorld([
      { name: 'anna', networks: [1] },
      { name: 'bert', networks: 'all' },
    ]);
  });
  after(() => world.system.close());

  const anna = () => world.analysts[0]!;
  const refused = async (sql: string, code: RegExp) => {
    // An answer that has begun says it at its end.
    expect((await world.ask(anna(), sql)).text, sql).to.match(code);
  };

  it('stop what takes too much time, memory or room', async () => {
    await refused(
      'SELECT count() FROM numbers(1e15) WHERE sipHash64(number) = 1 SETTINGS max_execution_time = 1',
      /TIMEOUT_EXCEEDED/,
    );
    await refused('SELECT uniqExact(number) FROM numbers(1e9)', /MEMORY_LIMIT_EXCEEDED/);
    await refused('SELECT number FROM numbers(1000001)', /TOO_MANY_ROWS_OR_BYTES/);
    await refused('SELECT sleep(3) FROM numbers(30) SETTINGS max_execution_time = 61', /SETTING_CONSTRAINT_VIOLATION/);
  });

  it('may be lowered, and the form of an answer chosen', async () => {
    const { text } = await world.ask(
      anna(),
      `SELECT toDateTime64(0, 3, 'UTC'), getSetting('max_threads') SETTINGS date_time_output_format = 'iso', max_threads = 1`,
    );
    expect(text).to.equal('1970-01-01T00:00:00.000Z\t1');
  });

  it('count the queries of each on their own', async () => {
    const used = async (who: number) => {
      const { text } = await world.ask(world.analysts[who]!, 'SELECT queries, max_queries FROM system.quota_usage');
      return text.split('\t').map(Number);
    };
    for (let index = 0; index < 5; index++) await world.ask(anna(), 'SELECT number FROM numbers(1)');
    // To ask for it is not counted.
    expect(await used(1)).to.deep.equal([0, 1_000]);
    expect((await used(0))[0]).to.be.at.least(5);
  });

  it('let the service go first', async () => {
    const priorities = async (who: { username: string; password: string }, ask: string) => {
      const answer = await fetch(ask, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${who.username}:${who.password}`)}` },
        body: `SELECT getSetting('priority')`,
      });
      return Number(await answer.text());
    };
    expect(await priorities(world.system.writer.credentials, world.engineUrl)).to.equal(1);
    expect(await priorities(anna(), world.url)).to.equal(10);
  });

  it('read a short stretch of a long past', async () => {
    const { database } = world.system.writer;
    const columns = (
      await world.system.writer.rows<{ name: string }>(
        `SELECT name FROM system.columns WHERE database = '${database}' AND table = 'coffee_g1'`,
      )
    ).map(({ name }) => name);
    const made: Readonly<Record<string, string>> = {
      network_id: '1 + number % 2',
      ts: `toDateTime64('2026-08-01 00:00:00', 3, 'UTC') + intDiv(number, 2) * 10`,
      number: 'number',
      event_id: 'toString(number)',
      duration_ms: '10000',
      site_tz: `'UTC'`,
      pop_type: `'NONE'`,
      version: '1',
    };
    const given = columns.filter((name) => name in made);
    await world.system.writer.run(
      `INSERT INTO coffee_g1 (${given.join(', ')}) SELECT ${given.map((name) => made[name]!).join(', ')} FROM numbers(200000)`,
    );
    const window = `played_at >= '2026-08-05 00:00:00' AND played_at < '2026-08-05 01:00:00'`;
    for (const view of ['plays', 'audience']) {
      const { text } = await world.ask(anna(), `SELECT count() FROM ${view} WHERE ${window} FORMAT JSON`);
      const { statistics, data } = JSON.parse(text) as {
        statistics: { rows_read: number };
        data: readonly Readonly<Record<string, string>>[];
      };
      expect(Number(data[0]!['count()'])).to.equal(view === 'plays' ? 360 : 0);
      expect(statistics.rows_read, view).to.be.below(10_000);
    }
  });

  it('are the same in SQL that a server with users of its own understands', async () => {
    for (const statement of [...roleStatements('popsvc'), ...userStatements('anna', 'ab'.repeat(32))]) {
      const [row] = await world.system.writer.rows<{ one: string }>(
        'SELECT formatQuerySingleLine({statement:String}) AS one',
        {
          params: { statement },
        },
      );
      expect(row!.one).to.be.a('string').and.not.equal('');
    }
    const names = [
      ...roleStatements('popsvc')
        .join()
        .matchAll(/(\w+)(?: = [^,]+?)?(?: MIN \d+)?(?: MAX \d+)? CHANGEABLE_IN_READONLY/g),
    ];
    expect(names.length).to.be.greaterThan(10);
  });
});
