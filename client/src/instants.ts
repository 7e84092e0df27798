const timePattern = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:Z|([+-])(\d\d):?(\d\d))$/i;
const maxOffsetHours = 18;

/**
 * Parses an ISO 8601 time with `Z` or a UTC offset, as the service does. Returns ms since 1970, without the digits after the
 * millisecond; undefined for any other text.
 */
export const parseInstant = (text: string): number | undefined => {
  const [, date, minutes, seconds = '00', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] =
    timePattern.exec(text) ?? [];
  const local = `${date}T${minutes}:${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const localMs = Date.parse(local);
  // Date.parse accepts days that do not exist, such as 31 February.
  const isValid =
    !Number.isNaN(localMs) &&
    new Date(localMs).toISOString() === local &&
    Number(offsetHours) <= maxOffsetHours &&
    Number(offsetMinutes) <= 59;
  if (!isValid) return undefined;
  const offsetMs = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return localMs - (sign === '-' ? -offsetMs : offsetMs);
};
