import type { NewEvent } from '@popsvc/platform/event-store';

/** Events that go into one append call, and what the store counts for them. */
export interface Chunk {
  readonly events: readonly NewEvent[];
  readonly bytes: number;
}

/** What one append call carries at most. The store's own limit is 1 MiB; the rest is margin for what it may count besides. */
export const chunkLimits = { events: 500, bytes: 1_048_576 - 16_384 };

/**
 * The store counts data, metadata and twice the type (UTF-16). Metadata counts as long as it can be: a request told again, with
 * another request id, must be cut at the same places, or the store would know a part of an append and refuse the whole.
 */
const longestMetadata = 640;
const sizeOf = ({ type, data }: NewEvent): number =>
  Buffer.byteLength(JSON.stringify(data)) + longestMetadata + 2 * type.length;

/**
 * A byte of a body becomes at most so many in the log: JSON writes 1e20 as 21 digits, a time without seconds gets them. What
 * the canonical form adds to an event besides, such as defaults, is in `addedToEvent`.
 */
const growth = 6;
const addedToEvent = 256;

/** How large a request is, and what of it each of its events repeats. */
export interface Size {
  readonly bodyBytes: number;
  readonly repeatedBytes: number;
}

/** What a request takes up in the log at most, told from its length alone: writing every event out to measure it costs more. */
const mostBytes = (events: readonly NewEvent[], { bodyBytes, repeatedBytes }: Size): number =>
  growth * bodyBytes + events.length * (longestMetadata + addedToEvent + repeatedBytes);

/** A request's events in order, cut so that each part fits into one append call; `tooLarge` is thrown for one that never fits. */
export const chunksOf = (
  events: readonly NewEvent[],
  size: Size,
  tooLarge: (index: number) => Error,
): readonly Chunk[] => {
  const bytes = mostBytes(events, size);
  return events.length <= chunkLimits.events && bytes <= chunkLimits.bytes
    ? [{ events, bytes }]
    : measured(events, tooLarge);
};

const measured = (events: readonly NewEvent[], tooLarge: (index: number) => Error): readonly Chunk[] => {
  const chunks: Chunk[] = [];
  let open: NewEvent[] = [];
  let bytes = 0;
  events.forEach((event, index) => {
    const size = sizeOf(event);
    if (size > chunkLimits.bytes) throw tooLarge(index);
    if (open.length === chunkLimits.events || bytes + size > chunkLimits.bytes) {
      chunks.push({ events: open, bytes });
      [open, bytes] = [[], 0];
    }
    open.push(event);
    bytes += size;
  });
  chunks.push({ events: open, bytes });
  return chunks;
};
