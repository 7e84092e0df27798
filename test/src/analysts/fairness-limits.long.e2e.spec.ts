import { request } from 'node:http';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { clickHouseWithAnalysts, queryClickHouse, type TestClickHouse } from '../support/engines.ts';

const long = process.env['POPSVC_LONG'] === '1';
const anna = { username: 'anna', password: 'a-password-of-anna' };
const limitSeconds = 1;

const number = (factor: number) => `repeat(toString(number), ${factor})`;

/** Functions whose time grows with the square of the length. On the engine, each of these runs for 10 s to an hour. */
const costlyQueries = [
  `SELECT sum(editDistance(${number(3_000)}, reverse(${number(3_000)}))) FROM numbers(100000)`,
  `SELECT sum(levenshteinDistance(${number(3_000)}, reverse(${number(3_000)}))) FROM numbers(1000)`,
  `SELECT sum(editDistanceUTF8(${number(3_000)}, reverse(${number(3_000)}))) FROM numbers(1000)`,
  `SELECT sum(damerauLevenshteinDistance(${number(3_000)}, reverse(${number(3_000)}))) FROM numbers(1000)`,
  `SELECT sum(jaroSimilarity(${number(3_000)}, reverse(${number(3_000)}))) FROM numbers(100000)`,
  `SELECT sum(jaroWinklerSimilarity(${number(3_000)}, reverse(${number(3_000)}))) FROM numbers(100000)`,
  'SELECT sum(arrayLevenshteinDistance(range(5000 + number), reverse(range(5000)))) FROM numbers(1000)',
  'SELECT sum(length(seriesDecomposeSTL(arrayMap(x -> x % 7 + 0., range(5000 + number)), 7))) FROM numbers(1000)',
  `SELECT sum(length(replaceRegexpAll(repeat('a', 100000 + number), 'a*b|a', 'x'))) FROM numbers(1000)`,
  `SELECT sum(length(REGEXP_REPLACE(repeat('a', 100000 + number), 'a*b|a', 'x'))) FROM numbers(1000)`,
  `SELECT sum(length(extractAll(repeat('a', 100000 + number), 'a*b|a'))) FROM numbers(1000)`,
  `SELECT sum(length(extractAllGroupsVertical(repeat('a', 20000 + number), '(a+)+b|(a)'))) FROM numbers(100)`,
  `SELECT sum(countMatches(repeat('a', 100000 + number), 'a*b|a')) FROM numbers(1000)`,
  `SELECT sum(length(splitByRegexp('a*b|a', repeat('a', 100000 + number)))) FROM numbers(1000)`,
  'SELECT sum(hasAll(range(10000 + number), reverse(range(10000)))) FROM numbers(1000)',
  'SELECT sum(hasAny(range(10000 + number), arrayMap(x -> x + 100000, range(10000)))) FROM numbers(1000)',
  `SELECT sum(positionCaseInsensitive(repeat('a', 100000 + number), repeat('A', 50000) || 'b')) FROM numbers(1000)`,
];

/** Queries that use functions of linear cost on long texts and large arrays, without end. */
const endlessQueries = [
  `SELECT sum(length(replaceAll(repeat('a', 100000 + number), 'aa', 'b'))) FROM numbers(10000)`,
  `SELECT sum(match(repeat('ab', 100000 + number), '(a|b)*c')) FROM numbers(10000)`,
  'SELECT max(number) OVER (ORDER BY number ROWS BETWEEN 500000 PRECEDING AND CURRENT ROW) m FROM numbers(1000000) ORDER BY m LIMIT 1',
  'SELECT count() FROM numbers(1000000) a, numbers(1000000) b WHERE sipHash64(a.number, b.number) = 1',
];

describe('fairness: queries of analysts', function () {
  this.timeout(300_000);
  let engine: TestClickHouse;
  before(async () => {
    engine = await clickHouseWithAnalysts([anna]);
  });

  const timeQuery = async (sql: string) => {
    const startedAt = performance.now();
    const { text } = await queryClickHouse(
      engine.analystsUrl,
      anna,
      `${sql} SETTINGS max_execution_time = ${limitSeconds}`,
    );
    return { text, seconds: (performance.now() - startedAt) / 1_000 };
  };
  const countRunning = async () => {
    const sql = `SELECT count() FROM system.processes WHERE startsWith(query_id, 'anna/')`;
    return Number((await queryClickHouse(engine.url, engine.writer, sql)).text);
  };

  for (const sql of costlyQueries)
    it(`may not use functions of quadratic cost: ${sql.slice(7, 60)}`, async () => {
      const { text, seconds } = await timeQuery(sql);
      expect(text).to.match(/^A query may not contain "\w+": functions of this name can run beyond every time limit/);
      expect(seconds).to.be.lessThan(limitSeconds + (long ? 2 : 8));
    });

  for (const sql of long ? endlessQueries : endlessQueries.slice(0, 2))
    it(`end at most 2 s after their time limit: ${sql.slice(0, 60)}`, async () => {
      const { text, seconds } = await timeQuery(sql);
      process.stdout.write(`      ${seconds.toFixed(1)} s with a limit of ${limitSeconds} s\n`);
      expect(text).to.match(/TIMEOUT_EXCEEDED|MEMORY_LIMIT_EXCEEDED/);
      expect(seconds).to.be.lessThan(limitSeconds + (long ? 2 : 12));
    });

  it('end when their client leaves, and hold their place until then', async () => {
    const client = request(engine.analystsUrl, { method: 'POST', auth: `${anna.username}:${anna.password}` });
    client.on('error', () => undefined).end(endlessQueries.at(-1));
    await waitUntil(countRunning, (running) => running === 1);
    client.destroy();
    const leftAt = performance.now();
    await waitUntil(countRunning, (running) => running === 0);
    process.stdout.write(`      ended ${(performance.now() - leftAt).toFixed(0)} ms after its client left\n`);
    const { text } = await queryClickHouse(engine.analystsUrl, anna, 'SELECT 1');
    expect(text).to.equal('1');
  });
});
