/** Tells those who follow the log, or one stream of it, that there is more to read. */
export class Wakeups {
  readonly #all = new Set<() => void>();
  readonly #byStream = new Map<string, Set<() => void>>();

  /** Calls `wake` after each commit, or after those to one stream; answers how to stop it. */
  watch(stream: string | undefined, wake: () => void): () => void {
    if (stream === undefined) {
      this.#all.add(wake);
      return () => this.#all.delete(wake);
    }
    const watchers = this.#byStream.get(stream) ?? new Set();
    this.#byStream.set(stream, watchers.add(wake));
    return () => {
      watchers.delete(wake);
      if (watchers.size === 0 && this.#byStream.get(stream) === watchers) this.#byStream.delete(stream);
    };
  }

  get watchesStreams(): boolean {
    return this.#byStream.size > 0;
  }

  wake(streams: ReadonlySet<string>): void {
    for (const stream of streams) for (const wake of this.#byStream.get(stream) ?? []) wake();
    for (const wake of this.#all) wake();
  }
}
