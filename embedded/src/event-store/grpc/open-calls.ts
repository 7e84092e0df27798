/** The calls that are being answered, so that a stop can end each of them with a status. */
export class OpenCalls {
  readonly #stops = new Set<() => void>();

  /** Registers how to end a call; answers what to do when it has ended by itself. */
  enter(stop: () => void): () => void {
    this.#stops.add(stop);
    return () => this.#stops.delete(stop);
  }

  stopAll(): void {
    for (const stop of this.#stops) stop();
  }
}
