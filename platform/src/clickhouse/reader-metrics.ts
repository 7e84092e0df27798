import { Counter, Histogram, latencyBucketsSeconds, type Registry } from '../telemetry/index.ts';
import type { StreamFormat } from './reader-settings.ts';

/** `page`: an answer that is awaited whole; `download`: one that is passed on as it comes, timed until it begins. */
export type ReadKind = 'page' | 'download';

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
