import { type ClickHouseSettings, createClient } from '@clickhouse/client';
import { expect } from 'chai';
import { type AnalystsSystem, startAnalystsSystem } from './analysts.fixture.ts';
import { queryClickHouse } from '../support/engines.ts';
import { fillGuide } from './guide.fixture.ts';

/** What tools send to connect and to list tables and columns, after the sources of their drivers. `{db}` is the analysts' database. */
const statements = {
  'clickhouse-connect, for Python and Superset': [
    'SELECT version(), timezone()',
    'SELECT name, value, readonly FROM system.settings LIMIT 10000',
    'SHOW DATABASES',
    'SHOW TABLES FROM `{db}`',
    'EXISTS TABLE `{db}`.`plays`',
    'DESCRIBE TABLE `{db}`.`plays`',
    "SELECT name, comment FROM system.tables WHERE database = '{db}' AND engine LIKE '%View'",
  ],
  'the data source of Grafana': [
    'SELECT displayName(), version(), revision(), timezone()',
    'SELECT 1',
    'SELECT name FROM system.databases',
    "SELECT name FROM system.tables WHERE database = '{db}'",
    'DESC TABLE "{db}"."plays"',
    "SELECT name, type, table FROM system.columns WHERE database IN ('{db}')",
    'SELECT played_at AS "time", count() FROM "{db}"."plays" WHERE ( played_at >= toDateTime64(1787184000, 3) AND played_at <= toDateTime64(1787356800, 3) ) GROUP BY "time" ORDER BY "time" ASC LIMIT 1000',
  ],
  'the JDBC driver, for DBeaver and Metabase': [
    "SELECT currentUser() AS user, timezone() AS timezone, version() AS version, toString(getSetting('readonly')) AS readonly FORMAT RowBinaryWithNamesAndTypes",
    `SELECT t.database AS table_schema, t.name AS TABLE_NAME, CASE WHEN t.engine LIKE '%View' THEN 'VIEW' ELSE 'TABLE' END AS TABLE_TYPE, t.comment AS REMARKS
     FROM system.tables t JOIN system.databases d ON t.database = d.name WHERE t.database LIKE '{db}' AND t.name LIKE '%' ORDER BY table_schema, TABLE_NAME`,
    `SELECT database, table, name, type, default_kind, comment, position, toInt32(numeric_precision) FROM system.columns WHERE database LIKE '{db}' AND table LIKE 'plays' ORDER BY position`,
    'SELECT name, is_aggregate FROM system.functions ORDER BY name',
    'SELECT name, case_insensitive, alias_to FROM system.data_type_families ORDER BY name',
    `-- Metabase:: userID: 1 queryType: native queryHash: 4a5b
     SELECT toStartOfDay(\`{db}\`.\`plays\`.\`played_at\`) AS \`played_at\`, COUNT(*) AS \`count\` FROM \`{db}\`.\`plays\` WHERE \`{db}\`.\`plays\`.\`campaign\` LIKE '%Profile%' OR \`{db}\`.\`plays\`.\`campaign\` <> 'it\\'s' GROUP BY played_at ORDER BY \`played_at\` ASC`,
  ],
  'tools that read the SQL standard': [
    "SELECT table_name FROM information_schema.tables WHERE table_schema = '{db}'",
    "SELECT column_name, data_type FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = '{db}' AND TABLE_NAME = 'plays'",
    'SELECT schema_name FROM information_schema.schemata',
  ],
};

describe('drivers of analysts’ tools', () => {
  let analysts: AnalystsSystem;
  const anna = () => analysts.analysts[0]!;
  before(async () => {
    analysts = await startAnalystsSystem([{ name: 'anna', networks: [1] }]);
    await fillGuide(analysts.system);
  });
  after(() => analysts.system.close());

  for (const [tool, queries] of Object.entries(statements))
    it(`get rows: ${tool}`, async () => {
      for (const sql of queries) {
        const { ok, text } = await analysts.query(anna(), sql.replaceAll('{db}', analysts.database));
        expect(ok && text !== '', `${sql}: ${text}`).to.equal(true);
      }
    });

  it('list the views with their comments, and no other table', async () => {
    const tables = await analysts.rows<{ table_schema: string; table_name: string }>(
      anna(),
      `SELECT table_schema, table_name FROM information_schema.tables WHERE table_schema NOT IN ('system', 'information_schema', 'INFORMATION_SCHEMA')`,
    );
    expect(tables.map(({ table_name }) => table_name).sort()).to.deep.equal([...analysts.views].sort());
    expect(new Set(tables.map(({ table_schema }) => table_schema))).to.deep.equal(new Set([analysts.database]));
  });

  it('can be the JavaScript client of ClickHouse', async () => {
    const { username, password } = anna();
    const client = createClient({ url: analysts.url, username, password, database: analysts.database });
    try {
      expect((await client.ping()).success).to.equal(true);
      const result = await client.query({
        query:
          'SELECT campaign, count() AS plays FROM plays WHERE campaign != {other:String} GROUP BY campaign ORDER BY campaign',
        query_params: { other: "the \\ 'file'" },
        format: 'JSONEachRow',
      });
      expect(await result.json()).to.deep.equal([
        { campaign: 'Coats', plays: 3 },
        { campaign: 'Shoes', plays: 6 },
      ]);
    } finally {
      await client.close();
    }
  });

  it('can choose the time zone in which times without a zone are read', async () => {
    const sql = `SELECT count() AS plays FROM plays WHERE played_at >= toDateTime('2026-08-20 14:00:00') AND played_at < toDateTime('2026-08-20 15:00:00')`;
    expect(await analysts.rows(anna(), `${sql} SETTINGS session_timezone = 'Europe/Berlin'`)).to.deep.equal([
      { plays: 5 },
    ]);
    expect(await analysts.rows(anna(), sql)).to.deep.equal([{ plays: 0 }]);
  });

  it('read a literal in the zone of its column, and a parameter in session_timezone', async () => {
    const countPlays = async (condition: string, parameters = '') => {
      const { text } = await queryClickHouse(
        `${analysts.url}/?database=${analysts.database}${parameters}`,
        anna(),
        `SELECT count() FROM plays WHERE ${condition}`,
      );
      return text;
    };
    const inBerlin = '&session_timezone=Europe/Berlin';
    const range = (from: string, to: string) => `played_at >= ${from} AND played_at < ${to}`;
    expect(await countPlays(range(`'2026-08-20 14:00:00'`, `'2026-08-20 15:00:00'`), inBerlin)).to.equal('0');
    expect(await countPlays(range(`'2026-08-20 12:00:00'`, `'2026-08-20 13:00:00'`), inBerlin)).to.equal('5');
    const zoned = range(
      `toDateTime('2026-08-20 14:00:00', 'Europe/Berlin')`,
      `toDateTime('2026-08-20 15:00:00', 'Europe/Berlin')`,
    );
    expect(await countPlays(zoned)).to.equal('5');
    const parameters = '&param_from=2026-08-20+14:00:00&param_to=2026-08-20+15:00:00';
    const withParameters = range('{from:DateTime}', '{to:DateTime}');
    expect(await countPlays(withParameters, parameters + inBerlin)).to.equal('5');
    expect(await countPlays(withParameters, parameters)).to.equal('0');
  });

  it('may send the settings that Grafana adds to each query: a run time of its query timeout, 60 s, plus 5 s', async () => {
    const sql = 'SELECT count() FROM plays FORMAT JSONCompactEachRow';
    for (const seconds of [64, 65]) {
      const parameters = `client_protocol_version=54460&default_format=Native&enable_http_compression=1&max_execution_time=${seconds}`;
      const { text } = await queryClickHouse(
        `${analysts.url}/?database=${analysts.database}&${parameters}`,
        anna(),
        sql,
      );
      expect(text).to.equal('[9]');
    }
  });

  it('may send the settings that JDBC drivers and DBeaver add to each query', async () => {
    const { username, password } = anna();
    const client = createClient({ url: analysts.url, username, password, database: analysts.database });
    const rowsWith = async (query: string, clickhouse_settings: ClickHouseSettings) =>
      (await client.query({ query, format: 'JSONEachRow', clickhouse_settings })).json<Record<string, unknown>>();
    try {
      expect(
        await rowsWith(`SELECT toString(toDateTime('2026-08-20 14:00:00'), 'UTC') AS utc`, {
          session_timezone: 'Europe/Berlin',
        }),
      ).to.deep.equal([{ utc: '2026-08-20 12:00:00' }]);
      const someNumbers = await rowsWith('SELECT number FROM numbers(10000)', {
        max_result_rows: '600',
        result_overflow_mode: 'break',
      });
      expect(someNumbers.length, 'DBeaver limits the rows of a grid').to.be.within(600, 9_999);
      expect(
        await rowsWith('SELECT b.v AS v FROM (SELECT 1 AS k) AS a LEFT JOIN (SELECT 2 AS k, 5 AS v) AS b USING (k)', {
          join_use_nulls: 1,
        }),
      ).to.deep.equal([{ v: null }]);
      for (const view of analysts.views) {
        const query = `SELECT * FROM ${view} ORDER BY ALL LIMIT 100`;
        expect(await rowsWith(query, { join_use_nulls: 1 }), view).to.deep.equal(await rowsWith(query, {}));
      }
    } finally {
      await client.close();
    }
  });

  it('may send any text as data', async () => {
    const sql = `SELECT count() AS plays FROM plays WHERE campaign IN ('Profile', 'file', 'a "hasAll" $$ \\\\ # ‘quote’', 'Coats') -- it's all data`;
    expect(await analysts.rows(anna(), `${sql}\n`)).to.deep.equal([{ plays: 3 }]);
    const { text } = await analysts.query(anna(), `SELECT 1 AS profile`);
    expect(text).to.match(/no name in a query may contain "file"/);
  });
});
