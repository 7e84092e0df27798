import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type Api, present, refuseOthers } from '../http/api.ts';
import { ConnectionError } from '../http/errors.ts';
import type { QueryPaths } from '../types.ts';
import { reportFields, reportQuery, type ReportWish, scopeInit } from './options.ts';

/** A file on its way. A transfer that is cut ends it with a ConnectionError. It must be read to its end, or destroyed. */
export interface Download {
  readonly body: Readable;
  /** As the service calls it: `coffee_20260801_20260901.csv`. */
  readonly fileName: string | undefined;
  readonly contentType: string | undefined;
  /** Everything the service received until then is in the report. */
  readonly asOf: string | undefined;
}

const downloadOf = ({ url, headers, body }: Response, signal?: AbortSignal): Download => ({
  body: body ? telling(url, Readable.fromWeb(body as ReadableStream<Uint8Array>), signal) : Readable.from([]),
  fileName: /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '')?.[1],
  contentType: headers.get('content-type') ?? undefined,
  asOf: headers.get('x-data-as-of') ?? undefined,
});

/** The same bytes, and a failure that says what it is. */
const telling = (url: string, bytes: Readable, signal: AbortSignal | undefined): Readable => {
  const told = new PassThrough();
  const failureOf = (error: unknown): unknown =>
    signal?.aborted ? signal.reason : new ConnectionError(url, 'broke off its answer', error);
  bytes.once('error', (error) => told.destroy(failureOf(error) as Error));
  // Heard here: the request, which hands the signal on, may be collected as soon as its answer has begun.
  const leave = () => told.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', leave, { once: true });
  told.once('close', () => {
    signal?.removeEventListener('abort', leave);
    bytes.destroy();
  });
  if (signal?.aborted) leave();
  return bytes.pipe(told);
};

/** Writes bytes to a file that is there only when it is whole, in place of one that was there before. Resolves with their number. */
const toFile = async (bytes: Readable, path: string): Promise<number> => {
  const partial = `${path}.${randomUUID()}.part`;
  try {
    // Flushed, so that a machine that goes down does not leave the name without the content.
    const file = createWriteStream(partial, { flags: 'wx', flush: true });
    await pipeline(bytes, file);
    await rename(partial, path);
    return file.bytesWritten;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
};

export interface DownloadWish extends ReportWish {
  /** Default: csv. */
  readonly format?: 'csv' | 'ndjson' | 'parquet' | undefined;
  /** Most rows, 1 to 5,000; default: all. */
  readonly limit?: number | undefined;
  /** Rows to skip. */
  readonly offset?: number | undefined;
  /** Whether text of a CSV that a spreadsheet would run as a formula is made harmless. */
  readonly excelSafe?: boolean | undefined;
}

/** A file that is there. */
export interface Downloaded extends Omit<Download, 'body'> {
  readonly path: string;
  readonly bytes: number;
}

const fields = { ...reportFields, format: true, limit: true, offset: true, excelSafe: true } as const;

const initOf = (wish: DownloadWish) => {
  refuseOthers(wish, fields);
  const { format, limit, offset, excelSafe } = wish;
  const query = { ...reportQuery(wish), ...present({ format, limit, offset, excel_safe: excelSafe }) };
  return { params: { query }, ...scopeInit(wish), parseAs: 'stream' as const };
};

const save = async (opened: Promise<Download>, path: string): Promise<Downloaded> => {
  const { body, ...rest } = await opened;
  return { path, bytes: await toFile(body, path), ...rest };
};

/** Reports as files. Bytes pass through as fast as they are taken; memory does not grow with the file. */
export const downloads = (api: () => Api<QueryPaths>) => {
  const streamCoffee = async (wish: DownloadWish): Promise<Download> =>
    downloadOf((await api().GET('/api/v1/coffee/download', initOf(wish))).response, wish.signal);
  const streamWatcherSummary = async (wish: DownloadWish): Promise<Download> =>
    downloadOf((await api().GET('/api/v1/watcher-summary/download', initOf(wish))).response, wish.signal);
  return {
    streamCoffee,
    streamWatcherSummary,
    downloadCoffee: (wish: DownloadWish, path: string) => save(streamCoffee(wish), path),
    downloadWatcherSummary: (wish: DownloadWish, path: string) => save(streamWatcherSummary(wish), path),
  };
};
