import { isDiskFull } from './damage.ts';

export interface PendingAppend {
  readonly bytes: Buffer;
  readonly committed: () => void;
  readonly failed: (error: Error) => void;
}

export interface Group {
  /** Log position where the segment of the group begins. */
  readonly base: number;
  readonly position: number;
  readonly appends: PendingAppend[];
  bytes: number;
}

export interface GroupCommitHooks {
  /** An error for which `isDiskFull` is true leads to `giveUp`, every other error to `fail`. */
  readonly store: (group: Group) => Promise<void>;
  /** Must free the positions of the group and of all later appends. Returns the error for these appends. */
  readonly giveUp: (error: unknown) => Error;
  /** Called for every other error of `store`. Pending and later appends never settle. */
  readonly fail: (error: unknown) => void;
}

const maxGroupBytes = 8 * 1024 * 1024;

/** Appends that wait for the disk form groups. The appends of a group share one write and one fdatasync. */
export class GroupCommit {
  readonly #hooks: GroupCommitHooks;
  #waiting: Group[] = [];
  #running: Promise<void> | undefined;
  #failed = false;
  pendingBytes = 0;

  constructor(hooks: GroupCommitHooks) {
    this.#hooks = hooks;
  }

  get needsGroup(): boolean {
    const last = this.#waiting.at(-1);
    return last === undefined || last.bytes >= maxGroupBytes;
  }

  /** Does nothing once `fail` was called. */
  add(append: PendingAppend, newGroup?: { readonly base: number; readonly position: number }): void {
    if (this.#failed) return;
    if (newGroup) this.#waiting.push({ ...newGroup, appends: [], bytes: 0 });
    const group = this.#waiting.at(-1)!;
    group.appends.push(append);
    group.bytes += append.bytes.length;
    this.pendingBytes += append.bytes.length;
    this.#running ??= this.#run();
  }

  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // Lets appends from requests that were received together share a group.
    await new Promise((resolve) => setImmediate(resolve));
    for (let group = this.#waiting.shift(); group; group = this.#waiting.shift()) {
      try {
        await this.#hooks.store(group);
      } catch (error) {
        if (isDiskFull(error)) this.#giveUp(group, error);
        else {
          this.#failed = true;
          this.#waiting = [];
          this.#hooks.fail(error);
        }
        continue;
      }
      this.pendingBytes -= group.bytes;
      for (const append of group.appends) append.committed();
    }
    this.#running = undefined;
  }

  /** Later appends are encoded for positions and revisions that follow the group, so they are rejected, too. */
  #giveUp(group: Group, error: unknown): void {
    const pending = [group, ...this.#waiting].flatMap(({ appends }) => appends);
    this.#waiting = [];
    this.pendingBytes = 0;
    const reason = this.#hooks.giveUp(error);
    for (const append of pending) append.failed(reason);
  }
}
