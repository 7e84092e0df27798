/** One lane of `npm test`: runs the specs that its parent names, one after the other, over engines they share. */
import { pathToFileURL } from 'node:url';
import Mocha from 'mocha';

/** Begins the line, among what specs print, by which the parent is told how one ended. */
export const mark = '\u0001spec ';

/** Tells of each test as it ends; failures are told at the end of the whole run. */
class Reporter extends Mocha.reporters.Spec {
  epilogue() {}
}

/** What nobody caught. */
const faults = ['unhandledRejection', 'uncaughtException'];

const titleOf = (test) => test.titlePath().join(' › ');

const run = async (spec) => {
  const mocha = new Mocha({
    reporter: Reporter,
    forbidOnly: true,
    timeout: process.env.POPSVC_LONG === '1' ? 3_600_000 : 60_000,
  });
  // By these an answer that does not fit is told with the test that got it.
  process.env.POPSVC_SPEC = spec;
  mocha.rootHooks({
    beforeEach() {
      globalThis.popsvcTest = titleOf(this.currentTest);
    },
  });
  mocha.addFile(spec);
  const failed = [];
  const listening = faults.map((event) => process.listeners(event));
  try {
    await mocha.loadFilesAsync();
  } catch (error) {
    return { passes: 0, failures: 1, pending: 0, failed: [error.stack ?? String(error)] };
  }
  const runner = await new Promise((resolve) => {
    const started = mocha.run(() => resolve(started));
    started.on('fail', (test, error) => {
      failed.push(`${titleOf(test)}\n${error.stack ?? error}`);
      // Here too, for whoever watches a run or finds one that was broken off.
      process.stdout.write(`${error.stack ?? error}\n`);
    });
  });
  // Runners of specs that are over would hand a rejection to each other in every order there is.
  faults.forEach((event, index) => {
    for (const left of process.listeners(event)) if (!listening[index].includes(left)) process.off(event, left);
  });
  const { passes = 0, failures = 0, pending = 0 } = runner.stats;
  return { passes, failures, pending, failed };
};

const serve = async () => {
  // Some are awaited later, when what they wait for is over: told, and no failure.
  process.on('unhandledRejection', (reason) => {
    process.stdout.write(
      `${globalThis.popsvcTest ?? 'a spec'}: nobody waited yet for what failed: ${reason?.stack ?? reason}\n`,
    );
  });
  const { skippedSuites } = await import('./dist/support/required-binary.js');
  const { endRun } = await import('@popsvc/tools/rig');
  process.on('message', async ({ spec, end }) => {
    // Not left to the event loop: a handle that a failed test left open must not keep the run from ending.
    if (end) return void endRun().finally(() => process.exit(0));
    const told = await run(spec);
    process.stdout.write(`\n${mark}${JSON.stringify({ ...told, missing: skippedSuites.splice(0) })}\n`);
  });
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await serve();
