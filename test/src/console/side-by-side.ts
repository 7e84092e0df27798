import { isWhole } from './console.fixture.ts';

/** Tests that mostly wait, each on a page of its own: begun together and told one by one; in the long form one after the other. */
export const sideBySide = (tests: Readonly<Record<string, () => Promise<void>>>): void => {
  const begun = new Map<string, Promise<void>>();
  if (!isWhole)
    before(() => {
      for (const [name, test] of Object.entries(tests)) {
        const done = test();
        // Told by the test that waits for it.
        done.catch(() => undefined);
        begun.set(name, done);
      }
    });
  for (const [name, test] of Object.entries(tests)) it(name, () => begun.get(name) ?? test());
};
