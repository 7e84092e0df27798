import { StreamEntry } from './stream-entry.ts';

/** All streams, by name and by the number that stands in the frames. */
export class StreamTable {
  readonly #byName = new Map<string, StreamEntry>();
  readonly #byNo: (StreamEntry | undefined)[] = [];

  find(name: string): StreamEntry | undefined {
    return this.#byName.get(name);
  }

  at(no: number): StreamEntry | undefined {
    return this.#byNo[no];
  }

  /** The stream, known from now on. */
  obtain(name: string): StreamEntry {
    let entry = this.#byName.get(name);
    if (!entry) {
      entry = new StreamEntry(name);
      this.#byName.set(name, entry);
    }
    return entry;
  }

  /** Gives a stream the next number, if it has none. */
  number(entry: StreamEntry): number {
    if (entry.no < 0) this.register(entry, this.#byNo.length);
    return entry.no;
  }

  /** Takes over the number that stands in the log. Numbers of streams that a crash kept from existing stay unused. */
  register(entry: StreamEntry, no: number): void {
    entry.no = no;
    this.#byNo[no] = entry;
  }

  all(): StreamEntry[] {
    return [...this.#byName.values()];
  }
}
