import { analystViews, createAnalystView } from '@popsvc/read-models/analysts';
import { allDatasets, typedColumns } from '@popsvc/read-models/datasets';
import { createLiveView, createView } from '@popsvc/platform/clickhouse';
import { onlyShard } from '@popsvc/domain/partitioning';
import { allProjections } from '@popsvc/projectors/projections';
import { expect } from 'chai';
import { blocksOf } from '../e2e/guide-blocks.fixture.ts';
import { files, read, sources } from './tree.fixture.ts';

/**
 * Finds what makes ClickHouse use its own rules of time zones: functions with a zone other than UTC, also one that differs from row to
 * row. `formatDateTime` needs the zone as its third argument, because without it the zone is that of the column.
 */
const findZones = (sql: string): readonly string[] => [
  ...[...sql.matchAll(/toTimeZone|toTimezone|allow_nonconst_timezone_arguments|session_timezone/g)].map(
    ([found]) => found,
  ),
  ...[...sql.matchAll(/DateTime(?:64)?\((?:\d, )?\\?'([^']*?)\\?'\)/g)].flatMap(([found, zone]) =>
    zone === 'UTC' ? [] : found,
  ),
  ...[...sql.matchAll(/formatDateTime\(/g)].flatMap(({ index }) => {
    const call = callAt(sql, index);
    return /, \\?'UTC\\?'\)$/.test(call) ? [] : [call];
  }),
];

/** Returns the text of a call, up to the parenthesis that closes it. */
const callAt = (sql: string, from: number): string => {
  let depth = 0;
  for (let at = sql.indexOf('(', from); at < sql.length; at++) {
    if (sql[at] === '(') depth++;
    else if (sql[at] === ')' && --depth === 0) return sql.slice(from, at + 1);
  }
  return sql.slice(from);
};

describe('SQL', () => {
  it('of which the zones are found', () => {
    expect(
      findZones(`formatDateTime(ts, '%H', site_tz), formatDateTime(f(ts), '%H', 'UTC'), formatDateTime(ts, '%H')`),
    ).to.deep.equal([`formatDateTime(ts, '%H', site_tz)`, `formatDateTime(ts, '%H')`]);
    expect(
      findZones(`CAST(ts, 'DateTime64(3, \\'Europe/London\\')'), toTimeZone(ts, z), DateTime('UTC')`),
    ).to.have.length(2);
  });

  it('of datasets, views and analysts names no time zone other than UTC', () => {
    const built = [
      ...allDatasets.flatMap((dataset) => [
        ...dataset.columns.flatMap(({ sql, times }) => [sql, times?.instant ?? '', times?.local?.text ?? '']),
        ...typedColumns(dataset).map(({ sql }) => sql),
      ]),
      ...allProjections.flatMap(({ tables, views = [] }) => [
        ...tables.map((table) => createLiveView(table, 1)),
        ...views.map((view) => createView(view, 1)),
      ]),
      ...analystViews.map((view) => createAnalystView(view, { database: 'popsvc', shard: onlyShard })),
    ];
    expect(built.filter((sql) => sql.includes('dict_time_zones')).length, 'SQL of local times').to.be.greaterThan(20);
    expect(built.flatMap(findZones)).to.deep.equal([]);
  });

  it('in the sources of the services names no time zone other than UTC', () => {
    const services =
      /^(contracts|domain|platform|http-kit|read-models|command-api|query-api|ops-api|projectors|embedded)\/src\//;
    const found = sources
      .filter((path) => services.test(path))
      .flatMap((path) => findZones(read(path)).map((zone) => `${path}: ${zone}`));
    // Analysts choose the zone in which their queries read times.
    expect(found.filter((each) => !/^read-models\/src\/analysts\/(limits|errors)\.ts: /.test(each))).to.deep.equal([]);
  });

  it('of the documentation names no time zone other than UTC', () => {
    const blocks = files
      .filter((path) => path.endsWith('.md'))
      .flatMap((path) => blocksOf(path, 'sql').map((sql) => ({ path, zones: findZones(sql) })));
    expect(blocks.length).to.be.greaterThan(10);
    expect(blocks.filter(({ zones }) => zones.length > 0)).to.deep.equal([]);
  });

  it('and code read time zones from one module', () => {
    const readers = sources.filter((path) => /from 'moment|IANAZone|new Intl\.DateTimeFormat/.test(read(path)));
    expect(readers.filter((path) => !/^(console|test)\//.test(path))).to.deep.equal([
      'contracts/src/time-zones/zones.ts',
    ]);
  });
});
