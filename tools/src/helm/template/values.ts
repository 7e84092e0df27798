/**
 * A value of a template. Numbers of values files are floating-point numbers in Helm, so they are `number`; integers that a template
 * contains or a function returns are `bigint`. Go compares and prints the two differently.
 */
export type Value = undefined | null | string | boolean | number | bigint | readonly Value[] | GoStruct | ValueMap;
export interface ValueMap {
  readonly [name: string]: Value;
}

/** A struct of Helm, such as `.Chart`: an unknown field is an error, whereas a map has no value for an unknown key. */
export class GoStruct {
  readonly fields: ValueMap;

  constructor(fields: ValueMap) {
    this.fields = fields;
  }
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);
export const isMap = (value: Value): value is ValueMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof GoStruct);

/** The name of a value's type, for error messages. */
export const typeOf = (value: Value): string => {
  if (value === undefined || value === null) return 'nil';
  if (isList(value)) return 'a list';
  if (isMap(value)) return 'a map';
  if (value instanceof GoStruct) return 'a struct';
  if (typeof value === 'bigint') return 'an integer';
  if (typeof value === 'number') return 'a number of the values';
  return `a ${typeof value}`;
};

/** Whether `if`, `and` and `default` count a value as true. Go and Sprig agree on these types. */
export const isTrue = (value: Value): boolean => {
  if (isList(value)) return value.length > 0;
  if (isMap(value)) return Object.keys(value).length > 0;
  return Boolean(value);
};

/**
 * Formats a value as Go prints it. Throws if Helm would print a form that is not wanted in a manifest: Go prints a map as
 * `map[a:b]`, a missing value as nothing, and a floating-point number from a million up with an exponent, such as `2.147483648e+09`.
 */
export const printValue = (value: Value): string => {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'number') throw new Error(`${typeOf(value)} cannot be printed; use toYaml, or test it with if`);
  if (!Number.isInteger(value)) throw new Error(`the number ${value} has a fraction; make it a string in the values`);
  if (Math.abs(value) >= 1e6) throw new Error(`Helm prints the number ${value} with an exponent; use int64`);
  return String(value);
};
