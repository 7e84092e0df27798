/** Where an event with a known id stands. */
export interface KnownEvent {
  readonly streamNo: number;
  readonly revision: number;
  readonly position: number;
}

const generationSize = 32_768;

/**
 * The ids of the newest 32 to 64 thousand events: the window in which an append to any revision is idempotent. Two
 * generations instead of one list ordered by use: forgetting costs nothing.
 */
export class RecentIds {
  #young = new Map<string, KnownEvent>();
  #old = new Map<string, KnownEvent>();

  find(id: string, streamNo: number): KnownEvent | undefined {
    const known = this.#young.get(id) ?? this.#old.get(id);
    return known?.streamNo === streamNo ? known : undefined;
  }

  add(id: string, event: KnownEvent): void {
    if (this.#young.size >= generationSize) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(id, event);
  }
}
