import { Counter, Histogram, latencyBucketsSeconds, type Registry } from '../telemetry/index.ts';
import type { ClickHouseReader, QueryOptions, StreamFormat } from './reader.ts';
import type { Sql } from './sql.ts';

/** `download`: the response is streamed, and only the time until the stream opens is measured. */
type ReadKind = 'page' | 'download';

export interface ReaderMetrics {
  read(kind: ReadKind, outcome: 'ok' | 'failed', seconds: number): void;
  streamed(format: StreamFormat, chunk: Buffer): void;
}

const lineEnd = 0x0a;

const countLines = (chunk: Buffer): number => {
  let lines = 0;
  for (let at = chunk.indexOf(lineEnd); at >= 0; at = chunk.indexOf(lineEnd, at + 1)) lines += 1;
  return lines;
};

export const readerMetrics = (registry: Registry): ReaderMetrics => {
  const registers = [registry];
  const labelNames = ['format'] as const;
  const seconds = new Histogram({
    name: 'popsvc_query_seconds',
    help: 'Duration of a query to ClickHouse: until the response is complete (page) or begins (download).',
    labelNames: ['kind', 'outcome'] as const,
    buckets: latencyBucketsSeconds,
    registers,
  });
  const bytes = new Counter({
    name: 'popsvc_streamed_bytes_total',
    help: 'Bytes of downloads received from ClickHouse, before compression.',
    labelNames,
    registers,
  });
  const rows = new Counter({
    name: 'popsvc_streamed_rows_total',
    help: 'Lines of downloads: rows, and the header line of each CSV file. Rows of Parquet files are not counted.',
    labelNames,
    registers,
  });
  return {
    read: (kind, outcome, took) => seconds.observe({ kind, outcome }, took),
    streamed(format, chunk) {
      bytes.inc({ format }, chunk.length);
      if (format !== 'Parquet') rows.inc({ format }, countLines(chunk));
    },
  };
};

export const measureReader = (reader: ClickHouseReader, metrics: ReaderMetrics): ClickHouseReader => {
  const timed = async <T>(kind: ReadKind, read: Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    let outcome: 'ok' | 'failed' = 'failed';
    try {
      const result = await read;
      outcome = 'ok';
      return result;
    } finally {
      metrics.read(kind, outcome, (performance.now() - startedAt) / 1_000);
    }
  };
  return {
    lines: (query, options) => timed('page', reader.lines(query, options)),
    rows: <Row>(query: Sql, options?: QueryOptions) => timed('page', reader.rows<Row>(query, options)),
    rowBinary: (query, options) => timed('page', reader.rowBinary(query, options)),
    stream: (query, format, options) =>
      timed(
        'download',
        reader.stream(query, format, { ...options, onBytes: (bytes) => metrics.streamed(format, bytes) }),
      ),
    ping: () => reader.ping(),
    close: () => reader.close(),
  };
};
