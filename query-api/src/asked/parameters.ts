import { type ApiErrorDetail, ApiError } from '@popsvc/contracts/errors';
import type { FormFields } from '@popsvc/platform/http';

/**
 * The query of a request. What is wrong with it is collected and told at once by `settle`; until then a wrong parameter
 * reads as if it were not there.
 */
export class Parameters {
  readonly #fields: FormFields;
  readonly #problems: ApiErrorDetail[] = [];

  /** A name that is not known is refused, so that a misspelt filter never widens a report. */
  constructor(fields: FormFields, known: readonly string[]) {
    this.#fields = fields;
    for (const name of Object.keys(fields))
      if (!known.includes(name)) this.refuse(name, `${name} is not a parameter of this endpoint`, undefined);
  }

  /** Notes what is wrong and goes on with another value, which nobody sees since `settle` throws. */
  refuse<Instead>(path: string, message: string, instead: Instead): Instead {
    if (!this.#problems.some((problem) => problem.path === path)) this.#problems.push({ path, message });
    return instead;
  }

  /** The value of a parameter that may be given once. */
  text(name: string): string | undefined {
    const value = this.#fields[name];
    if (value === undefined || typeof value === 'string') return value;
    return this.refuse<string | undefined>(name, `${name} may be given only once`, undefined);
  }

  /** The values of a parameter that may be repeated, in order. */
  texts(name: string): readonly string[] {
    const value = this.#fields[name] ?? [];
    return typeof value === 'string' ? [value] : value;
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  /** Throws when anything was wrong. */
  settle(): void {
    const [first] = this.#problems;
    if (first) throw new ApiError('INVALID_PARAM', first.message, { details: this.#problems });
  }
}
