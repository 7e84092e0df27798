const long = process.env['POPSVC_LONG'] === '1';

/** How often a property is tried: the same tries every time, in the long form many more and always others. */
export const runs = (quick: number) => (long ? { numRuns: quick * 50 } : { numRuns: quick, seed: 5_030 });
