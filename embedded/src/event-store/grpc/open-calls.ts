/** The open calls. When the server stops, it ends each of them with a status. */
export class OpenCalls {
  readonly #stops = new Set<() => void>();

  /** Registers a function that ends a call; returns a function that unregisters it. */
  register(stop: () => void): () => void {
    this.#stops.add(stop);
    return () => this.#stops.delete(stop);
  }

  stopAll(): void {
    for (const stop of this.#stops) stop();
  }
}
