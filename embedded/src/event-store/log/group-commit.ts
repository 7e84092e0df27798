import { isDiskFull } from './damage.ts';

export interface PendingAppend {
  readonly bytes: Buffer;
  /** Called when the append is durable. */
  readonly committed: () => void;
  /** Called when the append could not be stored; nothing of it is in the log. */
  readonly failed: (error: Error) => void;
}

/** Appends that are written together, after one group marker. */
export interface Group {
  /** Log position where the segment of the group begins. */
  readonly base: number;
  /** Log position of the marker. */
  readonly position: number;
  readonly appends: PendingAppend[];
  /** Size of the appends, without the marker. */
  bytes: number;
}

export interface GroupCommitHooks {
  /** Makes a group durable. If it throws an error for which `isDiskFull` is true, nothing of the group was stored. */
  readonly store: (group: Group) => Promise<void>;
  /** Called if the disk is full. Frees the positions of the group and of all later appends. Returns the error for these appends. */
  readonly giveUp: (error: unknown) => Error;
  /** Called for every other error of `store`. Pending and later appends never settle. */
  readonly fail: (error: unknown) => void;
}

/** A group that has reached this size accepts no further appends. */
const maxGroupBytes = 8 * 1024 * 1024;

/**
 * Writes appends in order of arrival. Appends that wait for the disk form groups; each group needs only one write and one
 * fdatasync.
 */
export class GroupCommit {
  readonly #hooks: GroupCommitHooks;
  #waiting: Group[] = [];
  #running: Promise<void> | undefined;
  #failed = false;
  /** Number of bytes that have been added and are not durable yet. */
  pendingBytes = 0;

  constructor(hooks: GroupCommitHooks) {
    this.#hooks = hooks;
  }

  /** Whether the next append begins a group. */
  get needsGroup(): boolean {
    const last = this.#waiting.at(-1);
    return last === undefined || last.bytes >= maxGroupBytes;
  }

  /** Adds an append to the last group or, if `newGroup` is given, to a new group there. Does nothing once `fail` was called. */
  add(append: PendingAppend, newGroup?: { readonly base: number; readonly position: number }): void {
    if (this.#failed) return;
    if (newGroup) this.#waiting.push({ ...newGroup, appends: [], bytes: 0 });
    const group = this.#waiting.at(-1)!;
    group.appends.push(append);
    group.bytes += append.bytes.length;
    this.pendingBytes += append.bytes.length;
    this.#running ??= this.#run();
  }

  /** Resolves when no append is pending any more: each is durable or given up, or `fail` was called. */
  async drain(): Promise<void> {
    while (this.#running) await this.#running;
  }

  async #run(): Promise<void> {
    // Waits for one iteration of the event loop, so appends from requests that were received together share a group.
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

  /** Rejects the group and all later appends, because these are encoded for positions and revisions that follow the group. */
  #giveUp(group: Group, error: unknown): void {
    const pending = [group, ...this.#waiting].flatMap(({ appends }) => appends);
    this.#waiting = [];
    this.pendingBytes = 0;
    const reason = this.#hooks.giveUp(error);
    for (const append of pending) append.failed(reason);
  }
}
