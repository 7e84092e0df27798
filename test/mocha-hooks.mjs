/** Root hooks of `npx mocha FILE`, without test/run.mjs: the engines and folders of the run are cleaned up after the last suite. */
import { endRun } from '@popsvc/tools/rig';

export const mochaHooks = {
  async afterAll() {
    this.timeout(60_000);
    await endRun();
  },
};
