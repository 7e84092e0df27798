import type { Api } from '../http/api-by.ts';
import { present } from '../http/present.ts';
import { refuseOthers } from '../http/wish-fields.ts';
import type { QueryPaths } from '../shapes.ts';
import { type Download, downloadOf } from './download.ts';
import { reportFields, reportQuery, type ReportWish, scopeInit } from './report-wish.ts';
import { toFile } from './to-file.ts';

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
