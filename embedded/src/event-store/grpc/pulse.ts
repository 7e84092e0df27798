/** Lets one loop sleep until something happened; what happens while it is awake is not missed. */
export class Pulse {
  #beaten = false;
  #wake: (() => void) | undefined;

  readonly beat = (): void => {
    this.#beaten = true;
    this.#wake?.();
  };

  async next(): Promise<void> {
    if (!this.#beaten) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#wake = undefined;
    this.#beaten = false;
  }
}
