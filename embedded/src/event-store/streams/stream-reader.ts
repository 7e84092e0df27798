import { type EventLog, type Frame, createdMsOf, frameLength, revisionOf } from '../log/index.ts';
import { type CommittedState } from './committed-state.ts';
import { type KnownEvent } from './recent-ids.ts';
import { type StreamEntry } from './stream-entry.ts';
import { firstVisible } from './stream-limits.ts';
import { dataOf, idOf } from './stored-event.ts';

export interface StreamRange {
  /** First revision of a forward read, last one of a backward read. */
  readonly from: number;
  readonly backward: boolean;
  /** Events that the caller wants at most. */
  readonly limit?: number;
  /** Shows what $maxAge, $maxCount and $tb hide, as live events are shown. */
  readonly showsHidden?: boolean;
}

/** An event where it lies, and where that is in the log. */
export interface PlacedFrame {
  readonly frame: Frame;
  readonly position: number;
}

/** Events of a first batch; how many of a later one follows from their size. */
const firstBatch = 16;
const largestBatch = 256;
const batchBytes = 512 * 1024;

/** As many events of the size of these as a batch may hold. */
const nextSize = (placed: readonly PlacedFrame[]): number => {
  const bytes = placed.reduce((sum, { frame }) => sum + frameLength(frame.bytes, frame.at), 0);
  return Math.max(1, Math.min(largestBatch, Math.floor((batchBytes * placed.length) / Math.max(1, bytes))));
};

/** Reads events of one stream, a batch of frames at a time. */
export class StreamReader {
  readonly #log: EventLog;
  readonly #state: CommittedState;

  constructor(log: EventLog, state: CommittedState) {
    this.#log = log;
    this.#state = state;
  }

  /** What there is of the stream when the read begins. */
  async *read(entry: StreamEntry, range: StreamRange): AsyncGenerator<PlacedFrame[]> {
    const { last } = entry;
    const lowest = range.showsHidden ? 0 : firstVisible(entry.limits, last);
    let size = Math.min(firstBatch, range.limit ?? firstBatch);
    let next = range.backward ? Math.min(range.from, last) : Math.max(range.from, lowest);
    while (next >= lowest && next <= last) {
      const other = range.backward ? Math.max(lowest, next - size + 1) : Math.min(last, next + size - 1);
      const frames = await this.#frames(entry, Math.min(next, other), Math.max(next, other));
      yield this.#young(entry, range.backward ? frames.reverse() : frames, range);
      next = range.backward ? other - 1 : other + 1;
      size = nextSize(frames);
    }
  }

  /** Whether the event at `revision` can be had without the disk. */
  async isRecent(entry: StreamEntry, revision: number): Promise<boolean> {
    const [position] = await this.#state.index.positions(entry, revision, revision);
    return position !== undefined && !(this.#log.pageFrom(position) instanceof Promise);
  }

  /** The event at a revision, if a read of the stream would show it. */
  async at(name: string, revision: number): Promise<Frame | undefined> {
    const entry = this.#state.table.find(name);
    if (!entry || entry.tombstone > 0 || entry.limits.softDeleted) return undefined;
    if (revision > entry.last || revision < firstVisible(entry.limits, entry.last)) return undefined;
    const frames = await this.#frames(entry, revision, revision);
    return this.#young(entry, frames, { from: revision, backward: false })[0]?.frame;
  }

  /** The event that a link (`revision@stream`) points at. */
  linked(linkFrame: Frame): Promise<Frame | undefined> {
    const parts = /^(\d+)@(.+)$/s.exec(dataOf(linkFrame).toString('utf8'));
    return parts ? this.at(parts[2]!, Number(parts[1])) : Promise.resolve(undefined);
  }

  /** Ids and places of stored events, hidden or not. */
  async idsOf(entry: StreamEntry, from: number, to: number): Promise<(KnownEvent & { id: string })[]> {
    const stored: (KnownEvent & { id: string })[] = [];
    for (let next = from; next <= to; next += largestBatch) {
      for (const { frame, position } of await this.#frames(entry, next, Math.min(to, next + largestBatch - 1))) {
        stored.push({ id: idOf(frame), streamNo: entry.no, revision: revisionOf(frame.bytes, frame.at), position });
      }
    }
    return stored;
  }

  async #frames(entry: StreamEntry, from: number, to: number): Promise<PlacedFrame[]> {
    const positions = await this.#state.index.positions(entry, from, to);
    const frames = await this.#log.framesAt(positions);
    return frames.map((frame, at) => ({ frame, position: positions[at]! }));
  }

  #young(entry: StreamEntry, placed: PlacedFrame[], range: StreamRange): PlacedFrame[] {
    const { maxAgeMs } = entry.limits;
    if (maxAgeMs === undefined || range.showsHidden) return placed;
    const oldest = Date.now() - maxAgeMs;
    return placed.filter(({ frame }) => createdMsOf(frame.bytes, frame.at) >= oldest);
  }
}
