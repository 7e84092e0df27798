import type { ClickHouseReader, QueryOptions } from './reader-port.ts';
import type { ReaderMetrics, ReadKind } from './reader-metrics.ts';
import type { Sql } from './sql.ts';

/** A reader whose queries are timed, and what they stream counted. */
export const measureReader = (reader: ClickHouseReader, metrics: ReaderMetrics): ClickHouseReader => {
  const timed = async <T>(kind: ReadKind, read: Promise<T>): Promise<T> => {
    const began = performance.now();
    let outcome: 'ok' | 'failed' = 'failed';
    try {
      const answer = await read;
      outcome = 'ok';
      return answer;
    } finally {
      metrics.read(kind, outcome, (performance.now() - began) / 1_000);
    }
  };
  return {
    lines: (query, options) => timed('page', reader.lines(query, options)),
    rows: <Row>(query: Sql, options?: QueryOptions) => timed('page', reader.rows<Row>(query, options)),
    stream: (query, format, options) =>
      timed(
        'download',
        reader.stream(query, format, { ...options, onBytes: (bytes) => metrics.streamed(format, bytes) }),
      ),
    ping: () => reader.ping(),
    close: () => reader.close(),
  };
};
