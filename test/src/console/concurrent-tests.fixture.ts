import { isLongRun } from './console.fixture.ts';

/**
 * Declares tests that mostly wait, each on a page of its own. They start together and are reported one by one; in a long run they run
 * one after the other.
 */
export const concurrently = (tests: Readonly<Record<string, () => Promise<void>>>): void => {
  const started = new Map<string, Promise<void>>();
  if (!isLongRun)
    before(() => {
      for (const [title, test] of Object.entries(tests)) {
        const result = test();
        // The test with this title reports the failure.
        result.catch(() => undefined);
        started.set(title, result);
      }
    });
  for (const [title, test] of Object.entries(tests)) it(title, () => started.get(title) ?? test());
};
