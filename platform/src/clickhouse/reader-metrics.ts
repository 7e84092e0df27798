import { Counter, Histogram, latencyBucketsSeconds, type Registry } from '../telemetry/index.ts';
import type { ClickHouseReader, QueryOptions, StreamFormat } from './reader.ts';
import type { Sql } from './sql.ts';

/** `page`: an answer that is awaited whole; `download`: one that is passed on as it comes, timed until it begins. */
type ReadKind = 'page' | 'download';

export interface ReaderMetrics {
  read(kind: ReadKind, outcome: 'ok' | 'failed', seconds: number): void;
  /** A piece of a download as the store sends it. */
  streamed(format: StreamFormat, piece: Buffer): void;
}

const lineEnd = 0x0a;

const linesIn = (piece: Buffer): number => {
  let lines = 0;
  for (let at = piece.indexOf(lineEnd); at >= 0; at = piece.indexOf(lineEnd, at + 1)) lines += 1;
  return lines;
};

/** How long ClickHouse takes, and how much it sends. */
export const readerMetrics = (registry: Registry): ReaderMetrics => {
  const [registers, labelNames] = [[registry], ['format'] as const];
  const seconds = new Histogram({
    name: 'popsvc_query_seconds',
    help: 'Time of a query to ClickHouse: until its answer is whole (page) or begins (download).',
    labelNames: ['kind', 'outcome'] as const,
    buckets: latencyBucketsSeconds,
    registers,
  });
  const bytes = new Counter({
    name: 'popsvc_streamed_bytes_total',
    help: 'Bytes of downloads that ClickHouse sent, before compression.',
    labelNames,
    registers,
  });
  const rows = new Counter({
    name: 'popsvc_streamed_rows_total',
    help: 'Lines of downloads: rows, and the heading of each CSV. Rows of Parquet are not counted, it has no lines.',
    labelNames,
    registers,
  });
  return {
    read: (kind, outcome, took) => seconds.observe({ kind, outcome }, took),
    streamed(format, piece) {
      bytes.inc({ format }, piece.length);
      if (format !== 'Parquet') rows.inc({ format }, linesIn(piece));
    },
  };
};

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
