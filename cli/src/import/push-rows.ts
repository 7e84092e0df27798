import { ServiceError } from '@popsvc/client';
import pMap from 'p-map';
import { batches } from '../service-client/batches.ts';
import type { Push } from '../service-client/vendor-pushes.ts';
import type { Numbered } from './read.ts';
import { type ImportCounts, Tally } from './tally.ts';

interface Line<Item> {
  readonly row: number;
  readonly id: string;
  readonly item: Item;
  /** In a request. */
  readonly bytes: number;
}

const sideBySide = 4;

/** Which items of a batch a refusal names, and why; nothing when it is about something else. */
const complaintsIn = (error: unknown): ReadonlyMap<number, string> => {
  const complaints = new Map<number, string>();
  if (!(error instanceof ServiceError) || error.status !== 400) return complaints;
  for (const { path, message } of error.details) {
    const [, index, field = ''] = /^[a-z]+\[(\d+)\]\.?(.*)$/.exec(path) ?? [];
    if (index === undefined) continue;
    const before = complaints.get(Number(index));
    complaints.set(Number(index), `${before === undefined ? '' : `${before}; `}${field} ${message}`.trim());
  }
  return complaints;
};

/** Sends the rows of a file in batches. Rows the service refuses are counted as bad; the others of their batch go on without them. */
export const pushRows = async <Item>(reads: AsyncIterable<Numbered<Item>>, push: Push<Item>): Promise<ImportCounts> => {
  const tally = new Tally();

  async function* goodLines(): AsyncGenerator<Line<Item>> {
    for await (const read of reads) {
      if ('reason' in read) tally.bad(read.row, read.reason);
      else {
        tally.good(read.id);
        const { row, id, item } = read;
        yield { row, id, item, bytes: Buffer.byteLength(JSON.stringify(item)) };
      }
    }
  }

  const send = async (lines: readonly Line<Item>[]): Promise<void> => {
    let left = lines;
    while (left.length > 0) {
      try {
        tally.accepted(await push(left.map(({ item }) => item)));
        return;
      } catch (error) {
        const complaints = complaintsIn(error);
        if (complaints.size === 0) throw error;
        for (const [index, reason] of complaints) {
          const line = left[index];
          if (line) tally.refused(line.row, line.id, reason);
        }
        left = left.filter((_, index) => !complaints.has(index));
      }
    }
  };

  const sized = batches(goodLines(), ({ bytes }) => bytes);
  await pMap(sized, send, { concurrency: sideBySide });
  return tally.counts();
};
