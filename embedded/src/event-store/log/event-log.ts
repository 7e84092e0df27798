import fs from 'node:fs';
import { type Damage, isDiskFull, LogDamagedError, LogNotWritableError, type Note } from './damage.ts';
import { DescriptorCache } from './descriptors.ts';
import { DurableEndFile } from './durable-end.ts';
import { encodeGroupMarker, type Frame, frameLength, groupMarkerBytes } from './frames.ts';
import { type Group, GroupCommit } from './group-commit.ts';
import {
  findFrameFrom,
  isFrameBoundary,
  type Page,
  readFramesAt,
  readLogPageBefore,
  readLogPageFrom,
  RecentGroups,
} from './reads.ts';
import { RecoverySteps } from './recovery-steps.ts';
import { checkTail, type TailCheck } from './recovery.ts';
import type { SegmentCheck } from './scan.ts';
import { SealedSegmentRecorder } from './sealed-segment-recorder.ts';
import { Segment, segmentHeaderBytes, SegmentList } from './segments.ts';
import { makeDurable } from './torn-tail.ts';
import { type FoundSegment, isEmptyLog, type LogStructure, readStructure } from './structure.ts';

export interface EventLogOptions {
  readonly dir: string;
  /** An append is never split between segments, so a segment can exceed this size. Default: 256 MiB. */
  readonly segmentBytes?: number;
  /** Opens the log even if it is damaged, refuses appends and changes no file. Default: false. */
  readonly readOnly?: boolean;
  /** Called when a sync fails, or a write for another reason than a full disk. The process must then exit. */
  readonly fail: (error: unknown) => void;
  readonly note?: Note;
  /** Checks a segment without blocking the event loop. Default: checks it in this thread. */
  readonly check?: (path: string, base: number) => Promise<SegmentCheck>;
}

const defaultSegmentBytes = 256 * 1024 * 1024;

const countFrames = (bytes: Buffer): number => {
  let frames = 0;
  for (let at = 0; at < bytes.length; at += frameLength(bytes, at)) frames += 1;
  return frames;
};

class DurabilityWaiters {
  #all: { readonly position: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  waitFor(position: number): Promise<void> {
    return new Promise((resolve, reject) => this.#all.push({ position, resolve, reject }));
  }

  release(end: number): void {
    if (this.#all.length === 0) return;
    const reached = this.#all.filter(({ position }) => position < end);
    this.#all = this.#all.filter(({ position }) => position >= end);
    for (const { resolve } of reached) resolve();
  }

  rejectAll(error: Error): void {
    const all = this.#all;
    this.#all = [];
    for (const { reject } of all) reject(error);
  }
}

/** An append-only log of frames (records of events) in segment files. Appends that arrive together are written as one group. */
export class EventLog {
  readonly #options: EventLogOptions;
  readonly #note: Note;
  readonly #segments: SegmentList;
  readonly #segmentBytes: number;
  readonly #commit: GroupCommit;
  readonly #recent = new RecentGroups();
  readonly #waiting = new DurabilityWaiters();
  readonly #recorder: SealedSegmentRecorder;
  #durableEnd: DurableEndFile | undefined;
  /** Steps of the recovery that are left to do, because the disk was full. */
  #recoverySteps: RecoverySteps | undefined;
  /** Log position after torn bytes (an incomplete append). A new segment begins there, so no append reuses their positions. */
  #baseAfterTorn: number | undefined;
  #isFull = false;
  /** Log position after the last accepted append, whether that append is durable or not. */
  #next: number;
  /** Log position where the newest segment begins. Its file may not exist before its first append is stored. */
  #nextBase: number;
  /** Called with each durable group, in log order, before the log acknowledges its appends. */
  onCommitted: (page: Page, segment: Segment) => void = () => undefined;

  private constructor(options: EventLogOptions, segments: SegmentList, structure: LogStructure) {
    this.#options = options;
    this.#note = options.note ?? (() => undefined);
    this.#segments = segments;
    this.#segmentBytes = options.segmentBytes ?? defaultSegmentBytes;
    const { dir, check } = options;
    this.#recorder = new SealedSegmentRecorder({ dir, manifest: structure.manifest, note: this.#note, check });
    this.#nextBase = segments.last.base;
    this.#next = segments.last.end;
    this.#commit = new GroupCommit({
      store: (group) => this.#store(group),
      giveUp: (error) => this.#giveUp(error),
      fail: options.fail,
    });
  }

  /**
   * Throws a `LogDamagedError` if it finds damage, unless `readOnly` is set and a segment exists. Does not check the records of segments in
   * the manifest. The caller must hold the lock of the directory.
   */
  static async open(options: EventLogOptions): Promise<EventLog> {
    const { dir, readOnly = false } = options;
    const files = new DescriptorCache(readOnly ? 'r' : 'r+');
    if (isEmptyLog(dir)) {
      if (readOnly) throw new Error(`there is no event log in ${dir}`);
      const first = await Segment.create(dir, { base: 0, previousBase: 0, previousEnd: 0 }, files);
      const log = new EventLog(options, new SegmentList(dir, [first], files), readStructure(dir));
      log.#durableEnd = new DurableEndFile(dir);
      log.#durableEnd.write({ base: 0, end: first.end, frames: 0 });
      return log;
    }
    const structure = readStructure(dir);
    const newest = structure.segments.at(-1);
    if (!newest || (!readOnly && structure.damages.length > 0)) throw new LogDamagedError(dir, structure.damages);
    const durable = typeof structure.durable === 'object' ? structure.durable : undefined;
    const tail = checkTail(newest, durable);
    if (!readOnly && tail.damages.length > 0) throw new LogDamagedError(dir, tail.damages);
    const segments = new SegmentList(
      dir,
      structure.segments.map((found, index) => {
        const { base, header = { base, previousBase: 0, previousEnd: 0 }, fileEnd } = found;
        const next = structure.segments[index + 1]?.header;
        const end = next ? Math.min(fileEnd, next.previousEnd) : readOnly ? tail.lastWholeEnd : tail.end;
        return new Segment(dir, header, end, files);
      }),
      files,
    );
    segments.last.frames = tail.frames;
    const log = new EventLog(options, segments, structure);
    if (readOnly) log.#noteDamages([...structure.damages, ...tail.damages]);
    else await log.#recover(structure, newest, tail);
    return log;
  }

  /** Position after the last durable record. */
  get end(): number {
    return this.#segments.last.end;
  }

  get segments(): readonly Segment[] {
    return this.#segments.all;
  }

  get isReadOnly(): boolean {
    return this.#options.readOnly ?? false;
  }

  /** Returns the last segment for positions beyond the end. */
  segmentOf(position: number): Segment {
    return this.#segments.segmentAt(position);
  }

  get pendingBytes(): number {
    return this.#commit.pendingBytes;
  }

  /** The caller needs the position to encode frames, because their checksums depend on it. */
  reserveNextPosition(): number {
    const { group, position } = this.#placeAppend();
    return group ? group.position + groupMarkerBytes : position;
  }

  /**
   * The frames must be encoded for the position of `reserveNextPosition()`. Calls neither callback after an error that is passed to
   * `EventLogOptions.fail`.
   */
  append(frames: Buffer, committed: () => void, failed: (error: Error) => void): void {
    if (this.isReadOnly) {
      queueMicrotask(() => failed(new LogNotWritableError('the event store was started with --read-only')));
      return;
    }
    const { group, position } = this.#placeAppend();
    if (group) this.#nextBase = group.base;
    this.#next = (group ? group.position + groupMarkerBytes : position) + frames.length;
    this.#commit.add({ bytes: frames, committed, failed }, group);
  }

  /** Reads valid frames from `position` on; undefined at the end of the log. Rejects with a `DamagedRecordError` if there is none. */
  readPageFrom(position: number): Page | undefined | Promise<Page | undefined> {
    return (
      this.#recent.pageFrom(position) ?? (position >= this.end ? undefined : readLogPageFrom(this.#segments, position))
    );
  }

  /** Reads valid frames that end at `position`; undefined at the start of the log. Rejects with a `DamagedRecordError` if there is none. */
  readPageBefore(position: number): Promise<Page | undefined> {
    return readLogPageBefore(this.#segments, Math.min(position, this.end));
  }

  isFrameBoundary(position: number): Promise<boolean> {
    return isFrameBoundary(this.#segments.segmentAt(position), position);
  }

  /** Skips damaged bytes. */
  findFrameFrom(position: number): number | undefined {
    return findFrameFrom(this.#segments, position);
  }

  readFrames(positions: readonly number[]): Frame[] | Promise<Frame[]> {
    return readFramesAt(positions, this.#recent, (position) => this.#segments.segmentAt(position));
  }

  /** Rejects if the disk is full. Never settles if the write fails for another reason or the sync fails. */
  waitUntilDurable(position: number): Promise<void> {
    return position < this.end ? Promise.resolve() : this.#waiting.waitFor(position);
  }

  /** Resolves when no append is pending. Afterwards, the log records no further sealed segment until the next open. */
  async drain(): Promise<void> {
    await this.#commit.drain();
    this.#recorder.stop();
  }

  async close(): Promise<void> {
    await this.drain();
    await this.#recorder.settled();
    this.#durableEnd?.close();
    this.#segments.close();
  }

  /** Without `group`, the append joins the last group that waits for the disk. */
  #placeAppend(): { readonly group?: { readonly base: number; readonly position: number }; readonly position: number } {
    if (this.#next - this.#nextBase >= this.#segmentBytes)
      return { group: { base: this.#next, position: this.#next + segmentHeaderBytes }, position: this.#next };
    return this.#commit.needsGroup
      ? { group: { base: this.#nextBase, position: this.#next }, position: this.#next }
      : { position: this.#next };
  }

  async #store({ base, position, appends }: Group): Promise<void> {
    await this.#recoverySteps?.run();
    this.#recoverySteps = undefined;
    if (base !== this.#segments.last.base) await this.#addSegment(base);
    const segment = this.#segments.last;
    const marker = encodeGroupMarker(position, segment.end, Date.now());
    const bytes = Buffer.concat([marker, ...appends.map((append) => append.bytes)]);
    await segment.keepOpen(async () => {
      await segment.write(bytes, position);
      await syncOrFail(segment);
    });
    const end = position + bytes.length;
    const frames = segment.frames + countFrames(bytes);
    this.#durableEnd?.write({ base, end, frames });
    segment.frames = frames;
    segment.end = end;
    if (this.#isFull) this.#note('there is room again: appends are stored', { dir: this.#options.dir });
    this.#isFull = false;
    this.#recent.add(position, bytes);
    this.onCommitted({ bytes, start: 0, end: bytes.length, bytesPosition: position }, segment);
    this.#waiting.release(this.end);
  }

  #giveUp(error: unknown): Error {
    const { last } = this.#segments;
    try {
      // If this fails, the next append overwrites the bytes.
      fs.truncateSync(last.path, last.end - last.base);
    } catch {
      // The bytes behind `end` are never read.
    }
    this.#resetNext();
    const reason = new LogNotWritableError(
      `the disk of the event store is full (${(error as Error).message}): nothing was stored; ` +
        `appends work again by themselves when there is room in ${this.#options.dir}`,
    );
    if (!this.#isFull) this.#note('disk full: appends are refused', { dir: this.#options.dir });
    this.#isFull = true;
    this.#waiting.rejectAll(reason);
    return reason;
  }

  #resetNext(): void {
    const { last } = this.#segments;
    const torn = this.#baseAfterTorn;
    const isAfterTorn = torn !== undefined && torn > last.base;
    this.#nextBase = isAfterTorn ? torn : last.base;
    this.#next = isAfterTorn ? torn + segmentHeaderBytes : last.end;
  }

  async #addSegment(base: number): Promise<void> {
    const sealed = this.#segments.last;
    await this.#segments.addSegment(base);
    this.#recorder.recordLater(sealed, base);
  }

  #noteDamages(damages: readonly Damage[]): void {
    for (const damage of damages) this.#note('the event log is damaged', { ...damage });
  }

  /** If the disk is full, the next append runs the remaining steps. */
  async #recover(structure: LogStructure, newest: FoundSegment, tail: TailCheck): Promise<void> {
    const { dir } = this.#options;
    if (typeof structure.durable !== 'object')
      this.#note('durable end rebuilt from the newest segment', {
        dir,
        reason: structure.durable,
        file: newest.path,
        end: tail.end,
      });
    await makeDurable(this.#segments.last, tail);
    if (newest.fileEnd > tail.end) this.#baseAfterTorn = newest.fileEnd;
    this.#resetNext();
    const steps = new RecoverySteps({
      structure,
      newest,
      tail,
      segments: this.#segments,
      recorder: this.#recorder,
      note: this.#note,
      writeDurableEnd: () => this.#writeDurableEnd(),
    });
    try {
      await steps.run();
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      this.#recoverySteps = steps;
      this.#isFull = true;
      this.#note('disk full: appends are refused', { dir });
    }
  }

  #writeDurableEnd(): void {
    const { base, end, frames } = this.#segments.last;
    this.#durableEnd ??= new DurableEndFile(this.#options.dir);
    this.#durableEnd.write({ base, end, frames });
  }
}

/**
 * Wraps the error, so that ENOSPC does not count as a full disk. After a failed sync, the kernel may have dropped the bytes, and a
 * second sync could succeed without them.
 */
const syncOrFail = async (segment: Segment): Promise<void> => {
  try {
    await segment.sync();
  } catch (error) {
    throw new Error(`sync of ${segment.path} failed: ${(error as Error).message}`, { cause: error });
  }
};
