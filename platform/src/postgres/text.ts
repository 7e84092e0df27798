/** As PostgreSQL takes it: it keeps no NUL in a text. */
export const replaceNulCharacters = (value: string): string => value.replaceAll('\0', '\u{fffd}');
