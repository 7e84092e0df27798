import { type Page } from './page.ts';

const keptBytes = 8 * 1024 * 1024;

/** The newest committed groups, so that live readers need no disk. */
export class RecentTail {
  readonly #groups: Page[] = [];
  #bytes = 0;

  add(position: number, bytes: Buffer): void {
    this.#groups.push({ bytes, from: 0, to: bytes.length, position });
    this.#bytes += bytes.length;
    while (this.#bytes > keptBytes && this.#groups.length > 1) this.#bytes -= this.#groups.shift()!.to;
  }

  /** Frames from `position` on, which is the beginning of a frame; undefined when they are no longer, or not yet, here. */
  from(position: number): Page | undefined {
    const groups = this.#groups;
    const newest = groups.at(-1);
    if (!newest || position < groups[0]!.position || position >= newest.position + newest.to) return undefined;
    let low = 0;
    let high = groups.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (groups[middle]!.position <= position) low = middle;
      else high = middle - 1;
    }
    const group = groups[low]!;
    const from = position - group.position;
    // Behind the last frame of a file comes the header of the next one, then the next group.
    return from < group.to ? { ...group, from } : groups[low + 1];
  }
}
