import { type Frame } from './frame.ts';
import { GroupCommit } from './group-commit.ts';
import { type EventLogOptions, defaultSegmentBytes } from './event-log-options.ts';
import { framesAt } from './frames-at.ts';
import { isBoundary, pageOfLogBefore, pageOfLogFrom } from './log-pages.ts';
import { type Page } from './page.ts';
import { RecentTail } from './recent-tail.ts';
import { recoverSegment } from './recover-segment.ts';
import { type Segment, segmentHeaderBytes } from './segment.ts';
import { Segments } from './segments.ts';
import { Waiting } from './waiting.ts';

/** The durable log: frames in files, positions that only grow, committed in groups. Knows nothing of streams. */
export class EventLog {
  readonly #segments: Segments;
  readonly #segmentBytes: number;
  readonly #commit: GroupCommit;
  readonly #tail = new RecentTail();
  readonly #waiting = new Waiting();
  /** Where the next append will stand. */
  #next: number;
  /** Base of the file that the next append goes into, which may not exist yet. */
  #nextBase: number;
  /** Called with each group that is durable, in order, before its appends are answered. */
  onCommitted: (page: Page, segment: Segment) => void = () => undefined;

  private constructor(segments: Segments, options: EventLogOptions) {
    this.#segments = segments;
    this.#segmentBytes = options.segmentBytes ?? defaultSegmentBytes;
    this.#nextBase = segments.last.base;
    this.#next = segments.last.end;
    this.#commit = new GroupCommit({
      segmentFor: async (position) => {
        const { last } = this.#segments;
        return position === last.end ? last : this.#segments.begin(position - segmentHeaderBytes);
      },
      publish: (segment, position, bytes) => this.#publish(segment, position, bytes),
      fail: options.fail,
    });
  }

  /** Opens or creates the log. A torn end is cut; positions behind the cut are never given out a second time. */
  static async open(options: EventLogOptions): Promise<EventLog> {
    const segments = await Segments.open(options.dir);
    const cutEnd = await recoverSegment(segments.last);
    if (cutEnd !== undefined) await segments.begin(cutEnd);
    return new EventLog(segments, options);
  }

  /** Position behind the last durable record. */
  get end(): number {
    return this.#segments.last.end;
  }

  get segments(): readonly Segment[] {
    return this.#segments.all;
  }

  /** The segment that holds `position`, or would hold it. */
  segmentOf(position: number): Segment {
    return this.#segments.holding(position);
  }

  get pendingBytes(): number {
    return this.#commit.pendingBytes;
  }

  /** Position of the next append. Asked for before its frames are made, because they carry it. */
  nextPosition(): number {
    if (this.#next - this.#nextBase >= this.#segmentBytes) {
      this.#nextBase = this.#next;
      this.#next += segmentHeaderBytes;
    }
    return this.#next;
  }

  /** Takes the frames of one append, made for `nextPosition()`; `committed` is called when they are durable. */
  append(frames: Buffer, committed: () => void): void {
    this.#commit.add({ bytes: frames, position: this.#next, committed });
    this.#next += frames.length;
  }

  /** Whole frames from `position` on, from memory if they are recent; undefined at the end of the log. */
  pageFrom(position: number): Page | undefined | Promise<Page | undefined> {
    return this.#tail.from(position) ?? (position >= this.end ? undefined : pageOfLogFrom(this.#segments, position));
  }

  /** Whole frames that end at `position`; undefined at the beginning of the log. */
  pageBefore(position: number): Promise<Page | undefined> {
    return pageOfLogBefore(this.#segments, Math.min(position, this.end));
  }

  /** Whether a record begins at `position`. */
  isBoundary(position: number): Promise<boolean> {
    return isBoundary(this.#segments.holding(position), position);
  }

  /** The frames at these positions, in their order; neighbours are read together. */
  framesAt(positions: readonly number[]): Frame[] | Promise<Frame[]> {
    return framesAt(positions, this.#tail, (position) => this.#segments.holding(position));
  }

  /** Resolves when the record at `position` is durable; a write that fails leaves it open, for the process ends. */
  durable(position: number): Promise<void> {
    return position < this.end ? Promise.resolve() : this.#waiting.until(position);
  }

  async close(): Promise<void> {
    await this.#commit.settled();
    this.#segments.close();
  }

  #publish(segment: Segment, position: number, bytes: Buffer): void {
    segment.end = position + bytes.length;
    this.#tail.add(position, bytes);
    this.onCommitted({ bytes, from: 0, to: bytes.length, position }, segment);
    this.#waiting.reached(this.end);
  }
}
