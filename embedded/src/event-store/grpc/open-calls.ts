/** The open gRPC calls. When the server stops, `stopAll` ends each of them. */
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
