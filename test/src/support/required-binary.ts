/** A suite that did not run, and the program it waits for. */
export interface SkippedSuite {
  readonly suite: string;
  readonly why: string;
}

/** Read by run.mjs when the run is over. */
export const skippedSuites: SkippedSuite[] = [];

/**
 * A suite that needs a server binary which npm does not bring. Without it the suite is skipped and listed at the end of
 * the run; with CI=true it fails.
 */
export const describeIfInstalled = (program: string, isThere: boolean, suite: string, body: () => void): void => {
  if (isThere) {
    describe(suite, body);
    return;
  }
  const why = `${program} is not on this machine`;
  skippedSuites.push({ suite, why });
  if (process.env['CI'] === 'true')
    describe(suite, () => {
      it(`needs ${program}`, () => {
        throw new Error(why);
      });
    });
  else describe.skip(suite, body);
};
