/** Promises that resolve when the log is durable up to a position. */
export class DurabilityWaiters {
  #all: { readonly position: number; readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];

  waitFor(position: number): Promise<void> {
    return new Promise((resolve, reject) => this.#all.push({ position, resolve, reject }));
  }

  /** Resolves the promises for all positions before `end`. */
  release(end: number): void {
    if (this.#all.length === 0) return;
    const reached = this.#all.filter(({ position }) => position < end);
    this.#all = this.#all.filter(({ position }) => position >= end);
    for (const { resolve } of reached) resolve();
  }

  rejectAll(error: Error): void {
    const all = this.#all;
    this.#all = [];
    for (const { reject } of all) reject(error);
  }
}
