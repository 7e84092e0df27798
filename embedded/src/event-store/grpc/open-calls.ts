export class OpenCalls {
  readonly #stops = new Set<() => void>();

  /** Returns a function that unregisters the call. */
  register(stop: () => void): () => void {
    this.#stops.add(stop);
    return () => this.#stops.delete(stop);
  }

  stopAll(): void {
    for (const stop of this.#stops) stop();
  }
}
