import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { type Api, omitUndefined, checkOptions } from '../http/api.ts';
import { ConnectionError } from '../http/errors.ts';
import type { paths as QueryPaths } from '../generated/query-api.ts';
import type { DownloadFormat } from '../types.ts';
import { reportFields, reportQuery, type ReportOptions, scopeInit } from './options.ts';

/** A running download. Read `body` to the end or destroy it. If the transfer is interrupted, the stream emits a ConnectionError. */
export interface Download {
  readonly body: Readable;
  /** The file name from the response headers, such as `coffee_20260801_20260901.csv`. */
  readonly fileName: string | undefined;
  readonly contentType: string | undefined;
  /** The report contains all data received up to this time. */
  readonly asOf: string | undefined;
}

const downloadOf = ({ url, headers, body }: Response, signal?: AbortSignal): Download => ({
  body: body ? withClearErrors(url, Readable.fromWeb(body as ReadableStream<Uint8Array>), signal) : Readable.from([]),
  fileName: /filename="([^"]*)"/.exec(headers.get('content-disposition') ?? '')?.[1],
  contentType: headers.get('content-type') ?? undefined,
  asOf: headers.get('x-data-as-of') ?? undefined,
});

/**
 * Forwards the bytes of a stream. If the source stream fails, the returned stream emits a ConnectionError or, after an abort, the
 * abort reason.
 */
const withClearErrors = (url: string, bytes: Readable, signal: AbortSignal | undefined): Readable => {
  const result = new PassThrough();
  const failureOf = (error: unknown): unknown =>
    signal?.aborted ? signal.reason : new ConnectionError(url, 'interrupted the response', error);
  bytes.once('error', (error) => result.destroy(failureOf(error) as Error));
  // Listen to the signal directly: the request object that forwards it may be garbage-collected once the response has begun.
  const onAbort = () => result.destroy(signal?.reason as Error);
  signal?.addEventListener('abort', onAbort, { once: true });
  result.once('close', () => {
    signal?.removeEventListener('abort', onAbort);
    bytes.destroy();
  });
  if (signal?.aborted) onAbort();
  return bytes.pipe(result);
};

/** Writes a stream to a file atomically, replacing an existing file. Resolves with the file size in bytes. */
const writeToFile = async (bytes: Readable, path: string): Promise<number> => {
  const partial = `${path}.${randomUUID()}.part`;
  try {
    // The file is flushed to disk before it is renamed. Otherwise a power failure could leave an empty file under the final name.
    const file = createWriteStream(partial, { flags: 'wx', flush: true });
    await pipeline(bytes, file);
    await rename(partial, path);
    return file.bytesWritten;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
};

export interface DownloadOptions extends ReportOptions {
  /** Defaults to csv. */
  readonly format?: DownloadFormat | undefined;
  /** Maximum number of rows, 1 to 5,000. By default, all rows are downloaded. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  /** Whether to escape CSV text that a spreadsheet would execute as a formula. */
  readonly excelSafe?: boolean | undefined;
}

export interface DownloadedFile extends Omit<Download, 'body'> {
  readonly path: string;
  readonly bytes: number;
}

const fields = { ...reportFields, format: true, limit: true, offset: true, excelSafe: true } as const;

const initOf = (options: DownloadOptions) => {
  checkOptions(options, fields);
  const { format, limit, offset, excelSafe } = options;
  const query = { ...reportQuery(options), ...omitUndefined({ format, limit, offset, excel_safe: excelSafe }) };
  return { params: { query }, ...scopeInit(options), parseAs: 'stream' as const };
};

const save = async (opened: Promise<Download>, path: string): Promise<DownloadedFile> => {
  const { body, ...rest } = await opened;
  return { path, bytes: await writeToFile(body, path), ...rest };
};

/** The methods stream with backpressure, so memory use does not grow with the file size. */
export const createDownloads = (api: () => Api<QueryPaths>) => {
  const streamCoffee = async (options: DownloadOptions): Promise<Download> =>
    downloadOf((await api().GET('/api/v1/coffee/download', initOf(options))).response, options.signal);
  const streamWatcherSummary = async (options: DownloadOptions): Promise<Download> =>
    downloadOf((await api().GET('/api/v1/watcher-summary/download', initOf(options))).response, options.signal);
  return {
    streamCoffee,
    streamWatcherSummary,
    downloadCoffee: (options: DownloadOptions, path: string) => save(streamCoffee(options), path),
    downloadWatcherSummary: (options: DownloadOptions, path: string) => save(streamWatcherSummary(options), path),
  };
};
