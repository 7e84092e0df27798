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

/** Declares a suite that cannot run: it is skipped and listed at the end of the run; with CI=true it fails. */
const describeSkipped = (suite: string, why: string, body: () => void): void => {
  skippedSuites.push({ suite, why });
  if (process.env['CI'] === 'true')
    describe(suite, () => {
      it('can run here', () => {
        throw new Error(why);
      });
    });
  else describe.skip(suite, body);
};

/** Declares a suite that needs a program which npm does not install. */
export const describeIfInstalled = (program: string, isAvailable: boolean, suite: string, body: () => void): void => {
  if (isAvailable) describe(suite, body);
  else describeSkipped(suite, `${program} is not installed`, body);
};

/** Declares a suite that changes the account of processes. */
export const describeAsRoot = (suite: string, body: () => void): void => {
  if (process.getuid?.() === 0) describe(suite, body);
  else describeSkipped(suite, 'the tests do not run as root', body);
};
