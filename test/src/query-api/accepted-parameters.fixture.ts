import { at, type Case, downloads, eachOf, everywhere, ofCoffee, pages } from './parameters.fixture.ts';

const fraction = (digits: number): string => `2026-08-01T00:00:00${digits ? '.' : ''}${'9'.repeat(digits)}Z`;

/** Values that each rule just allows. */
export const accepted: readonly Case[] = [
  at(everywhere, 'to=2026-09-01T00:00:00Z'),
  at(everywhere, 'from=2026-08-01T00:00:00.000000001Z&to=2026-09-01T00:00:00.000000001Z'),
  at(ofCoffee, 'from=2026-08-01&to=2026-09-01'),
  at(everywhere, 'from=2026-08-01T02:00:00+02:00&to=2026-08-01T20:00:00-0430'),
  at(everywhere, 'to=2026-08-01T00:00:00.000000001Z'),
  at(everywhere, 'from=0001-01-01T00:00:00Z&to=0001-01-02T00:00:00Z'),
  at(everywhere, 'from=9999-12-30T00:00:00Z&to=9999-12-31T23:59:59Z'),
  ...eachOf(everywhere, 'limit', ['1', '5000']),
  ...eachOf(everywhere, 'offset', ['0', '7', '9007199254740991']),
  at(everywhere, 'site_id=11&site_id=12&site_id=11'),
  ...eachOf(pages, 'sort', ['asc', 'desc']),
  at(pages, 'after=2026-08-01T00:00Z'),
  ...eachOf(pages, 'offset=3&after', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 19].map(fraction)),
  ...eachOf(downloads, 'excel_safe', ['true', 'false']),
  ...eachOf(pages, 'format', ['json', 'ndjson']),
  ...eachOf(downloads, 'format', ['csv', 'ndjson', 'parquet']),
  at(downloads, 'excel_safe=true&format=csv'),
];
