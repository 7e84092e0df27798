import {
  at,
  type Case,
  downloads,
  eachOf,
  everywhere,
  from,
  ofCoffee,
  ofWatchers,
  pages,
  to,
} from './parameters.fixture.ts';

export interface Refused extends Case {
  /** The parameters that the error names. */
  readonly names: readonly string[];
}

const naming = (names: readonly string[], cases: readonly Case[]): readonly Refused[] =>
  cases.map((one) => ({ ...one, names }));

const invalidTimes = [
  '',
  'yesterday',
  '2026-02-30T00:00:00Z',
  '2026-02-30',
  '2026-13-01T00:00:00Z',
  '2026-08-01T24:00:00Z',
  '2026-08-01T00:00:60Z',
  '2026-08-01T00:00:00',
  '2026-08-01 00:00:00Z',
  '2026-08-01T00:00:00.0123456789Z',
  '2026-08-01T00:00:00+19:00',
  '20260801T000000Z',
  '2026-8-1',
  '1785542400000',
];
const invalidNumbers = ['-1', '1e3', '+5', ' 5', '5 ', '1.0', '0x10', '05', '', 'ten', '99999999999999999999'];
const zeros = (digits: number): string => `2026-08-01T00:00:00.${'0'.repeat(digits)}Z`;

/** Values that each rule just refuses. */
export const refused: readonly Refused[] = [
  ...naming(
    ['from'],
    [
      ...eachOf(everywhere, 'from', invalidTimes),
      at(everywhere, `from=${from}&from=${from}`),
      at(ofWatchers, 'from=2026-08-01'),
      at(everywhere, `to=${from}`),
      at(everywhere, `from=${to}&to=${from}`),
    ],
  ),
  ...naming(
    ['to'],
    [
      ...eachOf(everywhere, 'to', invalidTimes),
      at(everywhere, `to=${to}&to=${to}`),
      at(ofWatchers, 'to=2026-08-02'),
      at(everywhere, 'to=2026-09-01T00:00:00.001Z'),
      at(everywhere, 'to=2026-09-01T00:00:00.000000001Z'),
      at(ofCoffee, 'from=2026-08-01&to=2026-09-02'),
    ],
  ),
  ...naming(
    ['limit'],
    [...eachOf(everywhere, 'limit', ['0', '5001', ...invalidNumbers]), at(everywhere, 'limit=5&limit=5')],
  ),
  ...naming(
    ['offset'],
    [
      ...eachOf(everywhere, 'offset', invalidNumbers),
      at(everywhere, 'offset=5&offset=5'),
      at(pages, `after=${from}&offset=-1`),
    ],
  ),
  ...naming(
    ['site_id'],
    [
      ...eachOf(everywhere, 'site_id', ['0', '1,2', 'abc', '%31', "1' OR '1", ...invalidNumbers]),
      at(everywhere, 'site_id=1&site_id=x'),
    ],
  ),
  ...naming(
    ['sort'],
    [
      ...eachOf(pages, 'sort', ['ASC', 'up', '', 'asc,desc']),
      at(pages, 'sort=asc&sort=desc'),
      at(downloads, 'sort=asc'),
    ],
  ),
  ...naming(
    ['after'],
    [
      ...eachOf(pages, 'after', ['', 'x', '2026-08-01', '2026-08-01T00:00:00', '2026-02-30T00:00:00Z']),
      ...eachOf(pages, 'after', [10, 11, 15, 18, 20, 30].map(zeros)),
      at(pages, `after=2026-08-01T25:00:00.${'0'.repeat(19)}Z`),
      at(pages, `after=${from}&after=${from}`),
      at(downloads, `after=${from}`),
    ],
  ),
  ...naming(
    ['excel_safe'],
    [
      at(pages, 'excel_safe=true'),
      ...eachOf(downloads, 'excel_safe', ['1', 'TRUE', '', 'yes']),
      ...eachOf(downloads, 'excel_safe=true&format', ['ndjson', 'parquet']),
      at(downloads, 'excel_safe=false&format=parquet'),
      at(downloads, 'excel_safe=true&excel_safe=true'),
    ],
  ),
  ...naming(
    ['format'],
    [
      ...eachOf(pages, 'format', ['csv', 'parquet', 'xml', 'JSON', '', 'json,ndjson']),
      ...eachOf(downloads, 'format', ['json', 'CSV', '', 'xlsx', 'csv ']),
      at(everywhere, 'format=ndjson&format=ndjson'),
    ],
  ),
  ...naming(['siteid'], [at(everywhere, 'siteid=1')]),
  ...naming(['site_id[]'], [at(everywhere, 'site_id[]=1')]),
  ...naming(['__proto__'], [at(everywhere, '__proto__=1')]),
  ...naming(['a', 'limit', 'sort'], [at(pages, 'limit=0&sort=x&a=1')]),
];
