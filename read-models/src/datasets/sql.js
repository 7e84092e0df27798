/** Pieces of SQL that the columns share. Zones differ by row, so the reading profile allows them as arguments. */
/** `YYYY-MM-DDTHH:mm:ss.SSS±hh:mm` of an instant in a zone. */
export const local = (instant, zone) => {
  const written = `formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S.%f%z', ${zone})`;
  return `concat(left(${written}, 26), ':', right(${written}, 2))`;
};
export const locals = (instants, zone) => `arrayMap(t -> ${local('t', zone)}, ${instants})`;
export const utc = (instant) => `formatDateTime(${instant}, '%Y-%m-%dT%H:%i:%S.%fZ', 'UTC')`;
export const label = (format, instant, zone) => `formatDateTime(${instant}, '${format}', ${zone})`;
/** `14:00-15:00`; the last of the day ends at 24:00. */
export const hourRange = (instant, zone) =>
  `concat(${label('%H', instant, zone)}, ':00-', leftPad(toString(toUInt8(${label('%H', instant, zone)}) + 1), 2, '0'), ':00')`;
/** An attribute of a dictionary; null when the key is not in it. */
export const look = (dictionary, attribute, key) => `dictGetOrNull('dict_${dictionary}', '${attribute}', ${key})`;
export const known = (id) => `nullIf(${id}, 0)`;
export const said = (text) => `nullIf(toString(${text}), '')`;
export const seconds = (milliseconds) => `(${milliseconds}) / 1000`;
/** round(100 × part / whole), half up; 0 when there is no whole. */
export const percent = (part, whole) => `if(${whole} = 0, 0, intDiv(200 * ${part} + ${whole}, 2 * ${whole}))`;
//# sourceMappingURL=sql.js.map
