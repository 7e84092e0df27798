/** Returns the lowest of several log positions; 0 for none. */
export const lowestPosition = (positions: readonly bigint[]): bigint =>
  positions.reduce((lowest, each) => (each < lowest ? each : lowest), positions[0] ?? 0n);

/** Returns the highest of several log positions; 0 for none. */
export const highestPosition = (positions: readonly bigint[]): bigint =>
  positions.reduce((highest, each) => (each > highest ? each : highest), 0n);
