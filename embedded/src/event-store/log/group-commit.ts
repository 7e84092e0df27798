import type { Segment } from './segments.ts';

interface PendingAppend {
  readonly bytes: Buffer;
  readonly position: number;
  readonly committed: () => void;
}

export interface GroupCommitHooks {
  /** Returns the segment for a group that begins at this position; creates the next segment if the last one is full. */
  readonly segmentFor: (position: number) => Promise<Segment>;
  /** Called when a group is durable, before its appends are acknowledged. */
  readonly publish: (segment: Segment, position: number, bytes: Buffer) => void;
  readonly fail: (error: unknown) => void;
}

/** Maximum size of a group in bytes, unless the group is a single larger append. */
const maxGroupBytes = 8 * 1024 * 1024;

/**
 * Writes appends in order of arrival. Appends that wait for the disk form groups; each group needs only one write and one
 * fdatasync.
 */
export class GroupCommit {
  readonly #hooks: GroupCommitHooks;
  #waiting: PendingAppend[] = [];
  #running: Promise<void> | undefined;
  #failed = false;
  /** Number of bytes that have been added and are not durable yet. */
  pendingBytes = 0;

  constructor(hooks: GroupCommitHooks) {
    this.#hooks = hooks;
  }

  add(append: PendingAppend): void {
    if (this.#failed) return;
    this.#waiting.push(append);
    this.pendingBytes += append.bytes.length;
    this.#running ??= this.#run();
  }

  /** Resolves when everything added so far is durable. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    try {
      // Waits for one iteration of the event loop, so appends from requests that were received together share a group.
      await new Promise((resolve) => setImmediate(resolve));
      while (this.#waiting.length > 0) await this.#commit(this.#takeGroup());
    } catch (error) {
      this.#failed = true;
      this.#waiting = [];
      this.#hooks.fail(error);
    } finally {
      this.#running = undefined;
    }
  }

  #takeGroup(): PendingAppend[] {
    let bytes = 0;
    let end = this.#waiting[0]!.position;
    let count = 0;
    for (const next of this.#waiting) {
      // A gap between positions means that the next append begins a new segment.
      if (next.position !== end || (count > 0 && bytes + next.bytes.length > maxGroupBytes)) break;
      bytes += next.bytes.length;
      end += next.bytes.length;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #commit(group: PendingAppend[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const bytes = group.length === 1 ? first.bytes : Buffer.concat(group.map((append) => append.bytes));
    const segment = await this.#hooks.segmentFor(first.position);
    await segment.write(bytes, first.position);
    await segment.sync();
    this.pendingBytes -= bytes.length;
    this.#hooks.publish(segment, first.position, bytes);
    for (const append of group) append.committed();
  }
}
