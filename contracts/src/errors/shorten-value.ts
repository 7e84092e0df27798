const maxCharacters = 60;

const kindOf = (value: object): string => (Array.isArray(value) ? 'a list' : 'an object');

/**
 * Formats a value that was sent for an error message, on one line: a string as JSON, of which at most 60 characters are shown. Lists and
 * objects are only named.
 */
export const shortenValue = (value: unknown): string => {
  if (typeof value === 'object' && value !== null) return kindOf(value);
  if (typeof value !== 'string') return String(value);
  if (value.length <= maxCharacters) return JSON.stringify(value);
  // Half of a surrogate pair is no character.
  const shown = value.slice(0, maxCharacters - 1).replace(/[\uD800-\uDBFF]$/, '');
  return JSON.stringify(`${shown}…`);
};
