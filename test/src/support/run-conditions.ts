import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of an executable program in PATH, or undefined. */
export const findProgram = (program: string): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });

export const isInstalled = (program: string): boolean => findProgram(program) !== undefined;

/** A suite that was skipped, with the reason. */
interface SkippedSuite {
  readonly suite: string;
  readonly why: string;
}

/** Skipped suites of the current spec file. lane.mjs takes them after each file; run.mjs prints them at the end. */
export const skippedSuites: SkippedSuite[] = [];

/**
 * Declares a suite that needs a program which npm does not install. Without the program, the suite is skipped and listed at the
 * end of the run; with CI=true it fails.
 */
export const describeIfInstalled = (program: string, isAvailable: boolean, suite: string, body: () => void): void => {
  if (isAvailable) {
    describe(suite, body);
    return;
  }
  const why = `${program} is not installed`;
  skippedSuites.push({ suite, why });
  if (process.env['CI'] === 'true')
    describe(suite, () => {
      it(`needs ${program}`, () => {
        throw new Error(why);
      });
    });
  else describe.skip(suite, body);
};

/** Declares a suite that changes the account of processes. Without root, the suite is skipped and listed at the end of the run. */
export const describeAsRoot = (suite: string, body: () => void): void => {
  if (process.getuid?.() === 0) {
    describe(suite, body);
    return;
  }
  skippedSuites.push({ suite, why: 'the tests do not run as root' });
  describe.skip(suite, body);
};
