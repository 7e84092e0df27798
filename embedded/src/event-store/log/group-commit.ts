import { type Segment } from './segment.ts';

interface Waiting {
  readonly bytes: Buffer;
  readonly position: number;
  readonly committed: () => void;
}

export interface CommitSteps {
  /** The file that takes a group beginning at this position; begins a new one when its turn has come. */
  readonly segmentFor: (position: number) => Promise<Segment>;
  /** Called once a group is on the disk, before its appends are answered. */
  readonly publish: (segment: Segment, position: number, bytes: Buffer) => void;
  readonly fail: (error: unknown) => void;
}

const groupBytes = 8 * 1024 * 1024;

/** Writes appends in the order they came: everything that waits goes out in one write and one fdatasync. */
export class GroupCommit {
  readonly #steps: CommitSteps;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failed = false;
  /** Bytes handed over and not yet on the disk. */
  pendingBytes = 0;

  constructor(steps: CommitSteps) {
    this.#steps = steps;
  }

  add(waiting: Waiting): void {
    if (this.#failed) return;
    this.#waiting.push(waiting);
    this.pendingBytes += waiting.bytes.length;
    this.#running ??= this.#run();
  }

  /** Resolves when everything added so far is on the disk. */
  async settled(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    try {
      // One turn of the event loop: requests that were read together share a group.
      await new Promise((resolve) => setImmediate(resolve));
      while (this.#waiting.length > 0) await this.#commit(this.#takeGroup());
    } catch (error) {
      this.#failed = true;
      this.#waiting = [];
      this.#steps.fail(error);
    } finally {
      this.#running = undefined;
    }
  }

  #takeGroup(): Waiting[] {
    let bytes = 0;
    let end = this.#waiting[0]!.position;
    let count = 0;
    for (const next of this.#waiting) {
      if (next.position !== end || (count > 0 && bytes + next.bytes.length > groupBytes)) break;
      bytes += next.bytes.length;
      end += next.bytes.length;
      count += 1;
    }
    return this.#waiting.splice(0, count);
  }

  async #commit(group: Waiting[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const bytes = group.length === 1 ? first.bytes : Buffer.concat(group.map((one) => one.bytes));
    const segment = await this.#steps.segmentFor(first.position);
    await segment.write(bytes, first.position);
    await segment.sync();
    this.pendingBytes -= bytes.length;
    this.#steps.publish(segment, first.position, bytes);
    for (const one of group) one.committed();
  }
}
