import { chunkRows, type RowProgress } from '@popsvc/command-api/worker';
import type { NewEvent } from '@popsvc/platform/event-store';
import type { FileRow, FileRowBatch } from '@popsvc/platform/row-readers';
import { expect } from 'chai';

const mebibyte = 1_048_576;
const start: RowProgress = { toRow: 0, nextRevision: 0, bytesRead: 0, processedRows: 0, errorRows: 0 };
const rules = {
  toEvent: (rows: readonly { readonly row: number }[]) => ({ data: rows.map(({ row }) => row) }) as unknown as NewEvent,
  findDefect: () => undefined,
  storedEnds: [] as readonly number[],
};
const good = (row: number, size = 10): FileRow => ({ row, event: { text: 'x'.repeat(size) } });
const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** Yields each batch of rows together with the number of bytes that were read until its end. */
async function* fileOf(...batches: readonly (readonly [bytesRead: number, rows: readonly FileRow[]])[]) {
  for (const [bytesRead, rows] of batches) yield await Promise.resolve({ rows, bytesRead } satisfies FileRowBatch);
}

const read = async (file: AsyncIterable<FileRowBatch>, from = start, storedEnds: readonly number[] = []) => {
  const chunks = [];
  for await (const { event, revision, progress } of chunkRows(file, from, { ...rules, storedEnds }))
    chunks.push({ rows: (event?.data ?? []) as readonly number[], revision, progress });
  return chunks;
};
const rowsOf = (chunks: Awaited<ReturnType<typeof read>>) => chunks.map(({ rows }) => [rows[0], rows.at(-1)]);

describe('chunks of a bulk file', () => {
  it('have at most 1,000 rows and 256 KiB', async () => {
    const small = numbers(1, 1_500).map((row) => good(row));
    const large = numbers(1_501, 1_505).map((row) => good(row, 100_000));
    const chunks = await read(fileOf([1_000_000, [...small, ...large]]));
    expect(rowsOf(chunks)).to.deep.equal([
      [1, 1_000],
      [1_001, 1_502],
      [1_503, 1_504],
      [1_505, 1_505],
    ]);
    expect(chunks.map(({ revision }) => revision)).to.deep.equal([0, 1, 2, 3]);
    expect(chunks.map(({ progress }) => progress.toRow)).to.deep.equal([1_000, 1_502, 1_504, 1_505]);
  });

  it('are the same for every attempt, however the file is read', async () => {
    const rows = numbers(1, 2_300).map((row) => good(row));
    const at = (bytesRead: number, from: number, to: number) => [bytesRead, rows.slice(from, to)] as const;
    const whole = await read(fileOf(at(1, 0, 2_300)));
    const slow = await read(
      fileOf(at(5 * mebibyte, 0, 700), at(10 * mebibyte, 700, 1_900), at(20 * mebibyte, 1_900, 2_300)),
    );
    const withRows = slow.filter((chunk) => chunk.rows.length > 0);
    expect(withRows.map(({ rows: ofEvent, revision }) => [ofEvent, revision])).to.deep.equal(
      whole.map(({ rows: ofEvent, revision }) => [ofEvent, revision]),
    );
  });

  it('have no rows if 4 MiB were read without a full one, and repeat the progress of the one before', async () => {
    const chunks = await read(
      fileOf(
        [5 * mebibyte, numbers(1, 1_100).map((row) => good(row))],
        [10 * mebibyte, []],
        [11 * mebibyte, [good(1_101)]],
      ),
    );
    expect(chunks.map(({ rows, progress }) => [rows.length, progress.toRow, progress.nextRevision])).to.deep.equal([
      [1_000, 1_000, 1],
      [0, 1_000, 1],
      [101, 1_101, 2],
    ]);
  });

  it('end where an earlier attempt ended its events', async () => {
    const rows = numbers(1, 2_300).map((row) => good(row));
    const from = { ...start, toRow: 1_000, nextRevision: 1, processedRows: 1_000 };
    const chunks = await read(fileOf([1_000_000, rows]), from, [1_050, 2_200]);
    expect(rowsOf(chunks)).to.deep.equal([
      [1_001, 1_050],
      [1_051, 2_200],
      [2_201, 2_300],
    ]);
    expect(chunks.map(({ revision }) => revision)).to.deep.equal([1, 2, 3]);
  });
});
