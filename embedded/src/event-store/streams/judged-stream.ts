import { type Judged } from './judge-append.ts';
import { type StreamTable } from './stream-table.ts';

/** A stream as the next append meets it, appends under way included. */
export const judgedStream = (table: StreamTable, name: string): Judged => {
  const stream = table.find(name)?.judged;
  const metastream = table.find(`$$${name}`)?.judged;
  return {
    last: stream?.last ?? -1,
    tombstoned: stream?.tombstoned ?? false,
    softDeleted: stream?.limits.softDeleted ?? false,
    metadataExists: metastream !== undefined && metastream.last >= 0,
  };
};
