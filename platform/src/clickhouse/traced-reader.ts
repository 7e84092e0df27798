import { type SpanOptions, runInSpan } from '../telemetry/index.ts';
import type { ClickHouseReader } from './reader-port.ts';
import type { Sql } from './sql.ts';

/** The text of the query is left out: ClickHouse's own log has it, under its id. */
const asked = (what: 'page' | 'download'): SpanOptions => ({
  name: `clickhouse ${what}`,
  kind: 'client',
  attributes: { 'db.system.name': 'clickhouse', 'db.operation.name': 'SELECT' },
});

/** A reader whose queries are seen in traces: until the answer is whole, or, of a download, begins. */
export const tracedReader = (reader: ClickHouseReader): ClickHouseReader => ({
  ...reader,
  lines: (query, options) =>
    runInSpan(
      () => asked('page'),
      () => reader.lines(query, options),
    ),
  rows: <Row>(query: Sql, options?: Parameters<ClickHouseReader['rows']>[1]) =>
    runInSpan(
      () => asked('page'),
      () => reader.rows<Row>(query, options),
    ),
  stream: (query, format, options) =>
    runInSpan(
      () => asked('download'),
      () => reader.stream(query, format, options),
    ),
});
