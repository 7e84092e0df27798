/** Those who wait for the log to be durable up to a position. */
export class Waiting {
  #all: { readonly position: number; readonly resolve: () => void }[] = [];

  until(position: number): Promise<void> {
    return new Promise((resolve) => this.#all.push({ position, resolve }));
  }

  /** Everything before `end` is durable now. */
  reached(end: number): void {
    if (this.#all.length === 0) return;
    const reached = this.#all.filter(({ position }) => position < end);
    this.#all = this.#all.filter(({ position }) => position >= end);
    for (const { resolve } of reached) resolve();
  }
}
