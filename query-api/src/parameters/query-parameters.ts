import { ApiError, type ApiErrorDetail } from '@popsvc/contracts/errors';
import type { FormFields } from '@popsvc/platform/http';

/**
 * The query parameters of a request. It collects all problems, so that `throwIfInvalid` reports them together. Until then an
 * invalid parameter has a substitute value, which never reaches a caller.
 */
export class QueryParameters {
  readonly #fields: FormFields;
  readonly #problems: ApiErrorDetail[] = [];

  /**
   * Rejects parameters that are not in `known`, because ignoring a misspelt filter would return rows which the caller did not
   * ask for.
   */
  constructor(fields: FormFields, known: readonly string[]) {
    this.#fields = fields;
    for (const name of Object.keys(fields))
      if (!known.includes(name)) this.reject(name, `${name} is not a parameter of this endpoint`, undefined);
  }

  /** Records a problem of a parameter, at most one per parameter. Returns `substitute`. */
  reject<Substitute>(path: string, message: string, substitute: Substitute): Substitute {
    if (!this.#problems.some((problem) => problem.path === path)) this.#problems.push({ path, message });
    return substitute;
  }

  /** Returns the value of a parameter that must not be repeated. */
  single(name: string): string | undefined {
    const value = this.#fields[name];
    if (value === undefined || typeof value === 'string') return value;
    return this.reject<string | undefined>(name, `${name} may be given only once`, undefined);
  }

  /** Returns the values of a parameter that may be repeated, in order. */
  repeated(name: string): readonly string[] {
    const value = this.#fields[name] ?? [];
    return typeof value === 'string' ? [value] : value;
  }

  has(name: string): boolean {
    return this.#fields[name] !== undefined;
  }

  /** Throws an INVALID_PARAM error with all recorded problems, if there are any. */
  throwIfInvalid(): void {
    const [first] = this.#problems;
    if (first) throw new ApiError('INVALID_PARAM', first.message, { details: this.#problems });
  }
}

/** Throws INVALID_PARAM if the request has query parameters; for endpoints without them. */
export const rejectQueryParameters = (fields: FormFields): void => {
  new QueryParameters(fields, []).throwIfInvalid();
};

const decimalDigits = /^(?:0|[1-9]\d{0,15})$/;

/** Parses a whole number in plain decimal digits; undefined for any other text, such as `+5`, `1e3` and `05`. */
export const parseWholeNumber = (text: string): number | undefined => {
  const value = decimalDigits.test(text) ? Number(text) : undefined;
  return value !== undefined && Number.isSafeInteger(value) ? value : undefined;
};

const parseId = (text: string): number | undefined => {
  const id = parseWholeNumber(text);
  return id !== undefined && id >= 1 ? id : undefined;
};

/** Reads an id from a path parameter. Records a problem and returns 0 if it is invalid. */
export const readPathId = (parameters: QueryParameters, name: string, text = ''): number =>
  parseId(text) ?? parameters.reject(name, `${name} must be a positive whole number`, 0);

/** Reads a repeatable parameter of ids. Returns each id once, in order. */
export const readIds = (parameters: QueryParameters, name: 'site_id' | 'location_id'): readonly number[] => {
  const message = `${name} must be a positive whole number; repeat the parameter for several`;
  const ids = parameters.repeated(name).map((text) => parseId(text) ?? parameters.reject(name, message, 0));
  return [...new Set(ids)];
};
