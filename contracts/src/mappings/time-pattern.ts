import { z } from 'zod';

const tokens = /'[^']*'|yyyy|yy|MMMM|MMM|MM|M|dd|d|HH|H|hh|h|mm|m|ss|s|SSS|S|a|ZZZ|ZZ|Z|[T:./, +-]/g;

const oneOf =
  (...names: readonly string[]) =>
  (pattern: readonly string[]) =>
    pattern.filter((token) => names.includes(token)).length === 1;

const year = oneOf('yyyy', 'yy');
const month = oneOf('MMMM', 'MMM', 'MM', 'M');
const day = oneOf('dd', 'd');
const minute = oneOf('mm', 'm');
const hour24 = oneOf('HH', 'H');
const hour12 = oneOf('hh', 'h');
const half = oneOf('a');

/** The tokens of a pattern like `yyyy-MM-dd HH:mm:ss`; undefined when something else is in it. */
export const patternTokens = (pattern: string): readonly string[] | undefined => {
  const found = pattern.match(tokens) ?? [];
  return found.join('') === pattern ? found : undefined;
};

/** A date and a time of day in full: 12 hours only with their half of the day. */
const isWhole = (pattern: string): boolean => {
  const found = patternTokens(pattern);
  if (!found) return false;
  const hour = hour24(found) ? !half(found) && !hour12(found) : hour12(found) && half(found);
  return year(found) && month(found) && day(found) && hour && minute(found);
};

export const TimePattern = z
  .string()
  .max(60)
  .refine(isWhole, 'must be iso, unix_s, unix_ms, or a pattern like yyyy-MM-dd HH:mm:ss with a whole date and time');
