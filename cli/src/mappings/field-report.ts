import type { FieldTrial } from '@popsvc/domain/mappings';

/** What one field of a mapping met in a sample. */
export interface FieldReport {
  readonly field: string;
  readonly found: number;
  readonly missing: number;
  readonly unparsable: number;
  /** Of what was found, up to three different values. */
  readonly examples: readonly string[];
  /** Of what was wrong, up to three different reasons. */
  readonly problems: readonly string[];
}

const mostExamples = 3;

/** Counts what the fields of a mapping meet, row after row. */
export class FieldReports {
  readonly #fields = new Map<
    string,
    Record<FieldTrial['outcome'], number> & { examples: Set<string>; problems: Set<string> }
  >();

  add(trials: readonly FieldTrial[]): void {
    for (const { field, outcome, value } of trials) {
      let met = this.#fields.get(field);
      if (!met) {
        met = { found: 0, missing: 0, unparsable: 0, examples: new Set(), problems: new Set() };
        this.#fields.set(field, met);
      }
      met[outcome] += 1;
      const shown = outcome === 'found' ? met.examples : met.problems;
      if (value !== undefined && shown.size < mostExamples) shown.add(value);
    }
  }

  all(): readonly FieldReport[] {
    return [...this.#fields].map(([field, { examples, problems, ...counts }]) => ({
      field,
      ...counts,
      examples: [...examples],
      problems: [...problems],
    }));
  }
}
