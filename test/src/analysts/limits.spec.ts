import { roleStatements, userStatements } from '@popsvc/ops-api/analysts';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { type AnalystsSystem, startAnalystsSystem } from './analysts.fixture.ts';

describe('the limits of analysts', function () {
  let world: AnalystsSystem;
  before(async () => {
    world = await startAnalystsSystem([
      { name: 'anna', networks: [1] },
      { name: 'bert', networks: 'all' },
    ]);
  });
  after(() => world.system.close());

  const anna = () => world.analysts[0]!;
  const expectError = async (sql: string, code: RegExp) => {
    // If the response has begun, it contains the error at its end.
    expect((await world.query(anna(), sql)).text, sql).to.match(code);
  };

  it('stop queries that take too much time, memory or rows', async () => {
    await expectError(
      'SELECT count() FROM numbers(1e15) WHERE sipHash64(number) = 1 SETTINGS max_execution_time = 1',
      /TIMEOUT_EXCEEDED/,
    );
    await expectError('SELECT uniqExact(number) FROM numbers(1e9)', /MEMORY_LIMIT_EXCEEDED/);
    await expectError('SELECT number FROM numbers(1000001)', /TOO_MANY_ROWS_OR_BYTES/);
    await expectError(
      'SELECT sleep(3) FROM numbers(30) SETTINGS max_execution_time = 66',
      /SETTING_CONSTRAINT_VIOLATION/,
    );
    await expectError('SELECT 1 SETTINGS max_result_rows = 0', /SETTING_CONSTRAINT_VIOLATION/);
  });

  it('can be lowered, and output settings can be changed', async () => {
    const { text } = await world.query(
      anna(),
      `SELECT toDateTime64(0, 3, 'UTC'), getSetting('max_threads') SETTINGS date_time_output_format = 'iso', max_threads = 1`,
    );
    expect(text).to.equal('1970-01-01T00:00:00.000Z\t1');
  });

  it('count the queries of each analyst separately', async () => {
    const used = async (who: number) => {
      const { text } = await world.query(
        world.analysts[who]!,
        'SELECT queries, max_queries, toUnixTimestamp(start_time) FROM system.quota_usage',
      );
      const [queries, max, since] = text.split('\t').map(Number);
      return { queries, max, since };
    };
    const countFive = async () => {
      const { since } = await used(0);
      for (let index = 0; index < 5; index++) await world.query(anna(), 'SELECT number FROM numbers(1)');
      const after = await used(0);
      return { ...after, isOneInterval: after.since === since };
    };
    // The quota is one of an hour. If an hour ends between the queries, they are counted again.
    const counted = await waitUntil(countFive, ({ isOneInterval }) => isOneInterval);
    expect(counted.queries).to.be.at.least(5);
    // Reading the quota does not count.
    expect(await used(1)).to.include({ queries: 0, max: 1_000 });
  });

  it('give queries of the service priority', async () => {
    const readPriority = async (who: { username: string; password: string }, url: string) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { authorization: `Basic ${btoa(`${who.username}:${who.password}`)}` },
        body: `SELECT getSetting('priority')`,
      });
      return Number(await response.text());
    };
    expect(await readPriority(world.system.writer.credentials, world.engineUrl)).to.equal(1);
    expect(await readPriority(anna(), world.url)).to.equal(10);
  });

  it('allow a short window of a long history, which reads few rows', async () => {
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
      const { text } = await world.query(anna(), `SELECT count() FROM ${view} WHERE ${window} FORMAT JSON`);
      const { statistics, data } = JSON.parse(text) as {
        statistics: { rows_read: number };
        data: readonly Readonly<Record<string, string>>[];
      };
      expect(Number(data[0]!['count()'])).to.equal(view === 'plays' ? 360 : 0);
      expect(statistics.rows_read, view).to.be.below(10_000);
    }
  });

  it('are also available as SQL statements for a server with its own users', async () => {
    for (const statement of [...roleStatements('popsvc'), ...userStatements('anna', 'ab'.repeat(32))]) {
      const [row] = await world.system.writer.rows<{ formatted: string }>(
        'SELECT formatQuerySingleLine({statement:String}) AS formatted',
        {
          params: { statement },
        },
      );
      expect(row!.formatted).to.be.a('string').and.not.equal('');
    }
    const names = [
      ...roleStatements('popsvc')
        .join()
        .matchAll(/(\w+)(?: = [^,]+?)?(?: MIN \d+)?(?: MAX \d+)? CHANGEABLE_IN_READONLY/g),
    ];
    expect(names.length).to.be.greaterThan(10);
    const boundOf = (shards: number) =>
      /max_result_rows = \d+( MIN \d+)? MAX/.exec(roleStatements('popsvc', { index: 0, of: shards }).join())![1];
    expect(boundOf(1)).to.equal(' MIN 1');
    expect(boundOf(2), 'subqueries between shards have no limit').to.equal(undefined);
  });
});
