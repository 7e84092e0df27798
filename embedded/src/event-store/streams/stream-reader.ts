import { type EventLog } from '../log/event-log.ts';
import { type Frame, readCreatedMs, frameLength, readRevision } from '../log/frames.ts';
import { type CommittedState } from './committed-state.ts';
import { type KnownEvent } from './append-decision.ts';
import { type StreamEntry } from './stream-table.ts';
import { firstVisibleRevision } from './stream-limits.ts';
import { readEventId } from './event-codec.ts';

export interface StreamRange {
  readonly from: number;
  readonly backward: boolean;
  readonly limit?: number;
  /** Whether the read also returns events that `$maxAge`, `$maxCount` and `$tb` hide, as a live subscription does. */
  readonly showsHidden?: boolean;
}

export interface PlacedFrame {
  readonly frame: Frame;
  readonly position: number;
}

const firstBatch = 16;
const largestBatch = 256;
const batchBytes = 512 * 1024;

const nextBatchSize = (placed: readonly PlacedFrame[]): number => {
  if (placed.length === 0) return largestBatch;
  const bytes = placed.reduce((sum, { frame }) => sum + frameLength(frame.bytes, frame.at), 0);
  return Math.max(1, Math.min(largestBatch, Math.floor((batchBytes * placed.length) / Math.max(1, bytes))));
};

export class StreamReader {
  readonly #log: EventLog;
  readonly #state: CommittedState;

  constructor(log: EventLog, state: CommittedState) {
    this.#log = log;
    this.#state = state;
  }

  /** Reads only the events that exist when the read begins. */
  async *read(entry: StreamEntry, range: StreamRange): AsyncGenerator<PlacedFrame[]> {
    const { last } = entry;
    const lowest = range.showsHidden ? 0 : firstVisibleRevision(entry.limits, last);
    let size = Math.min(firstBatch, range.limit ?? firstBatch);
    let next = range.backward ? Math.min(range.from, last) : Math.max(range.from, lowest);
    while (next >= lowest && next <= last) {
      const other = range.backward ? Math.max(lowest, next - size + 1) : Math.min(last, next + size - 1);
      const frames = await this.#readFrames(entry, Math.min(next, other), Math.max(next, other));
      yield this.#dropExpired(entry, range.backward ? frames.reverse() : frames, range);
      next = range.backward ? other - 1 : other + 1;
      size = nextBatchSize(frames);
    }
  }

  async isInMemory(entry: StreamEntry, revision: number): Promise<boolean> {
    const [position] = await this.#state.index.findPositions(entry, revision, revision);
    return position !== undefined && !(this.#log.readPageFrom(position) instanceof Promise);
  }

  /** Returns undefined if the event does not exist or the stream's limits hide it. */
  async readEventAt(name: string, revision: number): Promise<Frame | undefined> {
    const entry = this.#state.table.find(name);
    if (!entry || entry.tombstone > 0 || entry.limits.softDeleted) return undefined;
    if (revision > entry.last || revision < firstVisibleRevision(entry.limits, entry.last)) return undefined;
    const frames = await this.#readFrames(entry, revision, revision);
    return this.#dropExpired(entry, frames, { from: revision, backward: false })[0]?.frame;
  }

  async readIds(entry: StreamEntry, from: number, to: number): Promise<(KnownEvent & { id: string })[]> {
    const stored: (KnownEvent & { id: string })[] = [];
    for (let next = from; next <= to; next += largestBatch) {
      for (const { frame, position } of await this.#readFrames(entry, next, Math.min(to, next + largestBatch - 1))) {
        stored.push({
          id: readEventId(frame),
          streamNo: entry.streamNo,
          revision: readRevision(frame.bytes, frame.at),
          position,
        });
      }
    }
    return stored;
  }

  async #readFrames(entry: StreamEntry, from: number, to: number): Promise<PlacedFrame[]> {
    const positions = await this.#state.index.findPositions(entry, from, to);
    const frames = await this.#log.readFrames(positions);
    return frames.map((frame, at) => ({ frame, position: positions[at]! }));
  }

  #dropExpired(entry: StreamEntry, placed: PlacedFrame[], range: StreamRange): PlacedFrame[] {
    const { maxAgeMs } = entry.limits;
    if (maxAgeMs === undefined || range.showsHidden) return placed;
    const oldest = Date.now() - maxAgeMs;
    return placed.filter(({ frame }) => readCreatedMs(frame.bytes, frame.at) >= oldest);
  }
}
