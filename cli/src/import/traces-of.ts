import { readDetections } from './read-detections.ts';
import { readPlayout } from './read-playout.ts';
import type { Traces } from './sender-of-file.ts';

const enough = 200;

const firstOf = async <Item, Trace>(
  reads: AsyncIterable<{ readonly item: Item } | { readonly reason: string }>,
  traceOf: (item: Item) => Trace,
): Promise<ReadonlySet<Trace>> => {
  const traces = new Set<Trace>();
  let rows = 0;
  for await (const read of reads) {
    if ('item' in read) traces.add(traceOf(read.item));
    if (++rows >= enough) break;
  }
  return traces;
};

export const tracesOfPlayout = async (path: string): Promise<Traces> => ({
  screens: await firstOf(readPlayout(path), ({ screenId }) => screenId),
});

export const tracesOfDetections = async (path: string): Promise<Traces> => ({
  devices: await firstOf(readDetections(path), ({ deviceId }) => deviceId),
});
