import type { Frame } from './frames.ts';
import { GroupCommit } from './group-commit.ts';
import { readFramesAt, isFrameBoundary, type Page, readLogPageBefore, readLogPageFrom, RecentGroups } from './reads.ts';
import { truncateTornTail } from './recovery.ts';
import { type Segment, segmentHeaderBytes, SegmentList } from './segments.ts';

export interface EventLogOptions {
  readonly dir: string;
  /** A segment that has reached this size accepts no further appends. An append is never split between segments. Default: 256 MiB. */
  readonly segmentBytes?: number;
  /** Called when a write or sync fails. The log acknowledges nothing afterwards, so the process must exit. */
  readonly fail: (error: unknown) => void;
}

const defaultSegmentBytes = 256 * 1024 * 1024;

/** Promises that resolve when the log is durable up to a position. */
class DurabilityWaiters {
  #all: { readonly position: number; readonly resolve: () => void }[] = [];

  waitFor(position: number): Promise<void> {
    return new Promise((resolve) => this.#all.push({ position, resolve }));
  }

  /** Resolves the promises for all positions before `end`. */
  release(end: number): void {
    if (this.#all.length === 0) return;
    const reached = this.#all.filter(({ position }) => position < end);
    this.#all = this.#all.filter(({ position }) => position >= end);
    for (const { resolve } of reached) resolve();
  }
}

/** The durable log: frames in segment files, at increasing positions. Appends that arrive together are written as one group. */
export class EventLog {
  readonly #segments: SegmentList;
  readonly #segmentBytes: number;
  readonly #commit: GroupCommit;
  readonly #recent = new RecentGroups();
  readonly #waiting = new DurabilityWaiters();
  /** Position of the next append. */
  #next: number;
  /** Log position where the segment for the next append begins. The segment may not exist yet. */
  #nextBase: number;
  /** Called with each durable group, in log order, before the log acknowledges its appends. */
  onCommitted: (page: Page, segment: Segment) => void = () => undefined;

  private constructor(segments: SegmentList, options: EventLogOptions) {
    this.#segments = segments;
    this.#segmentBytes = options.segmentBytes ?? defaultSegmentBytes;
    this.#nextBase = segments.last.base;
    this.#next = segments.last.end;
    this.#commit = new GroupCommit({
      segmentFor: async (position) => {
        const { last } = this.#segments;
        return position === last.end ? last : this.#segments.addSegment(position - segmentHeaderBytes);
      },
      publish: (segment, position, bytes) => this.#publish(segment, position, bytes),
      fail: options.fail,
    });
  }

  /** Opens or creates the log. Removes an incomplete append at its end, and never reuses the positions of the removed bytes. */
  static async open(options: EventLogOptions): Promise<EventLog> {
    const segments = await SegmentList.open(options.dir);
    const removedEnd = await truncateTornTail(segments.last);
    if (removedEnd !== undefined) await segments.addSegment(removedEnd);
    return new EventLog(segments, options);
  }

  /** Position after the last durable record. */
  get end(): number {
    return this.#segments.last.end;
  }

  get segments(): readonly Segment[] {
    return this.#segments.all;
  }

  /** The segment whose range includes `position`; the last segment for positions beyond the end. */
  segmentOf(position: number): Segment {
    return this.#segments.segmentAt(position);
  }

  /** Bytes of appends that are not durable yet. */
  get pendingBytes(): number {
    return this.#commit.pendingBytes;
  }

  /**
   * Returns the position of the next append. The caller needs it to encode the frames, which contain their positions. If the last segment
   * is full, the position is in a new segment.
   */
  reserveNextPosition(): number {
    if (this.#next - this.#nextBase >= this.#segmentBytes) {
      this.#nextBase = this.#next;
      this.#next += segmentHeaderBytes;
    }
    return this.#next;
  }

  /**
   * Appends the frames of one append, encoded for the position that `reserveNextPosition()` returned. Calls `committed` when they are
   * durable.
   */
  append(frames: Buffer, committed: () => void): void {
    this.#commit.add({ bytes: frames, position: this.#next, committed });
    this.#next += frames.length;
  }

  /** Reads valid frames from `position` on, from memory if they are recent; undefined at the end of the log. */
  readPageFrom(position: number): Page | undefined | Promise<Page | undefined> {
    return (
      this.#recent.pageFrom(position) ?? (position >= this.end ? undefined : readLogPageFrom(this.#segments, position))
    );
  }

  /** Reads valid frames that end at `position`; undefined at the start of the log. */
  readPageBefore(position: number): Promise<Page | undefined> {
    return readLogPageBefore(this.#segments, Math.min(position, this.end));
  }

  /** Whether a frame begins at `position`. */
  isFrameBoundary(position: number): Promise<boolean> {
    return isFrameBoundary(this.#segments.segmentAt(position), position);
  }

  /** Reads the frames at these positions, in the given order. */
  readFrames(positions: readonly number[]): Frame[] | Promise<Frame[]> {
    return readFramesAt(positions, this.#recent, (position) => this.#segments.segmentAt(position));
  }

  /** Resolves when the record at `position` is durable. Never settles after a failed write, because the process ends. */
  waitUntilDurable(position: number): Promise<void> {
    return position < this.end ? Promise.resolve() : this.#waiting.waitFor(position);
  }

  async close(): Promise<void> {
    await this.#commit.drain();
    this.#segments.close();
  }

  #publish(segment: Segment, position: number, bytes: Buffer): void {
    segment.end = position + bytes.length;
    this.#recent.add(position, bytes);
    this.onCommitted({ bytes, start: 0, end: bytes.length, bytesPosition: position }, segment);
    this.#waiting.release(this.end);
  }
}
