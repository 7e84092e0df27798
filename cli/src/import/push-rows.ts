import { ServiceError } from '@popsvc/client';
import pMap from 'p-map';
import { CliError } from '../output/cli-error.ts';
import { formatNumber } from '../output/format.ts';
import type { Push } from '../service-client/vendor-pushes.ts';
import type { NumberedRow } from './read-files.ts';

export interface BadRow {
  readonly row: number;
  readonly reason: string;
}

export interface ImportCounts {
  readonly rows: number;
  readonly good: number;
  /** Distinct ids among the good rows. */
  readonly distinct: number;
  readonly bad: number;
  /** At most 1,000, ordered by row number. */
  readonly bad_rows: readonly BadRow[];
  /** Good rows that the service accepted, including rows with a repeated id. */
  readonly accepted: number;
  /** Why the file could not be read to its end; absent if it was. */
  readonly unreadable?: string;
}

export const formatCounts = (what: string, { rows, good, distinct, bad, bad_rows, accepted }: ImportCounts): string =>
  [
    `${what}: ${formatNumber(rows)} rows, ${formatNumber(good)} good (${formatNumber(distinct)} distinct), ` +
      `${formatNumber(bad)} bad, ${formatNumber(accepted)} accepted`,
    ...bad_rows.map(({ row, reason }) => `  row ${row}: ${reason}`),
  ].join('\n');

const maxListedBadRows = 1_000;

class RowCounter {
  #rows = 0;
  #accepted = 0;
  #badCount = 0;
  #unreadable: string | undefined;
  readonly #badRows: BadRow[] = [];
  readonly #rowsOfId = new Map<string, number>();

  addGood(id: string): void {
    this.#rows += 1;
    this.#rowsOfId.set(id, (this.#rowsOfId.get(id) ?? 0) + 1);
  }

  addBad(row: number, reason: string): void {
    this.#rows += 1;
    this.#listBad(row, reason);
  }

  /** The row was counted as good before the service rejected it. */
  reject(row: number, id: string, reason: string): void {
    const left = (this.#rowsOfId.get(id) ?? 1) - 1;
    if (left === 0) this.#rowsOfId.delete(id);
    else this.#rowsOfId.set(id, left);
    this.#listBad(row, reason);
  }

  addAccepted(count: number): void {
    this.#accepted += count;
  }

  setUnreadable(reason: string): void {
    this.#unreadable = reason;
  }

  counts(): ImportCounts {
    return {
      rows: this.#rows,
      good: this.#rows - this.#badCount,
      distinct: this.#rowsOfId.size,
      bad: this.#badCount,
      bad_rows: this.#badRows.toSorted((a, b) => a.row - b.row),
      accepted: this.#accepted,
      ...(this.#unreadable !== undefined && { unreadable: this.#unreadable }),
    };
  }

  #listBad(row: number, reason: string): void {
    this.#badCount += 1;
    if (this.#badRows.length < maxListedBadRows) this.#badRows.push({ row, reason });
  }
}

interface Line<Item> {
  readonly row: number;
  readonly id: string;
  readonly item: Item;
  /** Size of the item as JSON. */
  readonly bytes: number;
}

/** Below the service's limits for a request: 1,000 items and 5 MiB. */
const maxBatchItems = 500;
const maxBatchBytes = 4 * 1024 * 1024;

async function* splitIntoBatches<Item>(lines: AsyncIterable<Line<Item>>): AsyncGenerator<Line<Item>[]> {
  let batch: Line<Item>[] = [];
  let batchBytes = 0;
  for await (const line of lines) {
    const bytes = line.bytes + 1;
    if (batch.length >= maxBatchItems || (batch.length > 0 && batchBytes + bytes > maxBatchBytes)) {
      yield batch;
      batch = [];
      batchBytes = 0;
    }
    batch.push(line);
    batchBytes += bytes;
  }
  if (batch.length > 0) yield batch;
}

/** Empty if the error is not about single items. */
const reasonsByIndex = (error: unknown): ReadonlyMap<number, string> => {
  const reasons = new Map<number, string>();
  if (!(error instanceof ServiceError) || error.status !== 400) return reasons;
  for (const { path, message } of error.details) {
    const [, index, field = ''] = /^[a-z]+\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    if (index === undefined) continue;
    const previous = reasons.get(Number(index));
    reasons.set(Number(index), `${previous === undefined ? '' : `${previous}; `}${field} ${message}`.trim());
  }
  return reasons;
};

const maxConcurrentRequests = 4;

/**
 * Pushes the rest of a batch again after the service rejected some of its rows. If the file cannot be read to its end, sets
 * `unreadable`.
 */
export const pushRows = async <Item>(
  rows: AsyncIterable<NumberedRow<Item>>,
  push: Push<Item>,
): Promise<ImportCounts> => {
  const counter = new RowCounter();

  async function* goodLines(): AsyncGenerator<Line<Item>> {
    try {
      for await (const parsed of rows) {
        if ('reason' in parsed) counter.addBad(parsed.row, parsed.reason);
        else {
          counter.addGood(parsed.id);
          const { row, id, item } = parsed;
          yield { row, id, item, bytes: Buffer.byteLength(JSON.stringify(item)) };
        }
      }
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      counter.setUnreadable(error.message);
    }
  }

  const pushBatch = async (batch: readonly Line<Item>[]): Promise<void> => {
    let left = batch;
    while (left.length > 0) {
      try {
        counter.addAccepted(await push(left.map(({ item }) => item)));
        return;
      } catch (error) {
        const reasons = reasonsByIndex(error);
        if (reasons.size === 0) throw error;
        for (const [index, reason] of reasons) {
          const line = left[index];
          if (line) counter.reject(line.row, line.id, reason);
        }
        left = left.filter((_, index) => !reasons.has(index));
      }
    }
  };

  await pMap(splitIntoBatches(goodLines()), pushBatch, { concurrency: maxConcurrentRequests });
  return counter.counts();
};

export const requireImported = (what: string, { accepted, unreadable }: ImportCounts): void => {
  if (unreadable !== undefined) throw new CliError(unreadable);
  if (accepted === 0) throw new CliError(`No row of the ${what} was accepted; the reasons are listed above.`);
};
