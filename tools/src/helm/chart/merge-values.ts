import type { ValueMap } from '../template/values.ts';
import { isMap } from '../template/values.ts';

/**
 * Merges values over the defaults of a chart, as Helm does: maps by key, anything else replaces the default, and null removes it.
 * Throws if a map replaces something else or is replaced, where Helm prints a warning.
 */
export const mergeValues = (defaults: ValueMap, values: ValueMap, path = ''): ValueMap => {
  const merged = new Map(Object.entries(defaults));
  for (const [name, value] of Object.entries(values)) {
    const standard = merged.get(name);
    const place = `${path}${name}`;
    if (value === null) merged.delete(name);
    else if (isMap(value) && isMap(standard)) merged.set(name, mergeValues(standard, value, `${place}.`));
    else if (standard !== undefined && standard !== null && isMap(standard) !== isMap(value))
      throw new Error(`${place} must ${isMap(standard) ? '' : 'not '}be a map`);
    else merged.set(name, value);
  }
  return Object.fromEntries(merged);
};
