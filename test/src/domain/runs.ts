/** How often a property is tried; longer in the long form of the tests. */
export const runs = (quick: number) => ({ numRuns: process.env['POPSVC_LONG'] === '1' ? quick * 50 : quick });
