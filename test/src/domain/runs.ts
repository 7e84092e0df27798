const long = process.env['POPSVC_LONG'] === '1';

/** Options of a property test: a fixed seed; in the long form many more runs with a random seed. */
export const runs = (quick: number) => (long ? { numRuns: quick * 50 } : { numRuns: quick, seed: 5_030 });
