const make = (type, holds) => (name, about, sql, words) => ({
  name,
  type,
  holds,
  about,
  sql,
  ...(words && { words }),
});
export const number = make('number', 'whole');
/** A number that may have decimals, where the contract says no more than number. */
export const decimal = make('number', 'fraction');
export const string = make('string', 'text');
export const float = make('float', 'fraction');
export const timestamp = make('timestamp', 'text');
export const date = make('date', 'text');
export const boolean = make('boolean', 'truth');
export const texts = make('array', 'texts');
export const fractions = make('array', 'fractions');
//# sourceMappingURL=column.js.map
