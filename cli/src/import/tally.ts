export interface BadRow {
  readonly row: number;
  readonly reason: string;
}

export interface ImportCounts {
  readonly rows: number;
  readonly good: number;
  /** Good rows with different ids. */
  readonly distinct: number;
  readonly bad: number;
  /** The first thousand of them, by row. */
  readonly bad_rows: readonly BadRow[];
  /** Good rows the service has taken in, told again or not. */
  readonly accepted: number;
}

const listed = 1_000;

/** Counts the rows of a file on their way into the service. */
export class Tally {
  #rows = 0;
  #accepted = 0;
  readonly #ids = new Map<string, number>();
  readonly #bad: BadRow[] = [];
  #badCount = 0;

  good(id: string): void {
    this.#rows += 1;
    this.#ids.set(id, (this.#ids.get(id) ?? 0) + 1);
  }

  bad(row: number, reason: string): void {
    this.#rows += 1;
    this.#noteBad(row, reason);
  }

  /** A row that looked good and that the service refused. */
  refused(row: number, id: string, reason: string): void {
    const left = (this.#ids.get(id) ?? 1) - 1;
    if (left === 0) this.#ids.delete(id);
    else this.#ids.set(id, left);
    this.#noteBad(row, reason);
  }

  accepted(count: number): void {
    this.#accepted += count;
  }

  counts(): ImportCounts {
    return {
      rows: this.#rows,
      good: this.#rows - this.#badCount,
      distinct: this.#ids.size,
      bad: this.#badCount,
      bad_rows: this.#bad.toSorted((a, b) => a.row - b.row),
      accepted: this.#accepted,
    };
  }

  #noteBad(row: number, reason: string): void {
    this.#badCount += 1;
    if (this.#bad.length < listed) this.#bad.push({ row, reason });
  }
}
