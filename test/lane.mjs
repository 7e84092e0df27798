/** A process of a test run: runs the specs that its parent (lanes.mjs) names, one after the other, over engines they share. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import Mocha from 'mocha';

/** Begins the line, in the output of the specs, in which the parent reads the result of a spec. */
export const mark = '\u0001spec ';

/** Prints each test as it ends; the parent prints the failures at the end of the run. */
class Reporter extends Mocha.reporters.Spec {
  epilogue() {}
}

const processErrors = ['unhandledRejection', 'uncaughtException'];

/** Rejections that had no handler when they happened, since the last call of `takeRejections`. By promise: Mocha emits each a second time. */
const rejections = new Map();
const takeRejections = () => {
  const taken = [...rejections.values()];
  rejections.clear();
  return taken;
};

const maxDiffLines = 40;

/** The stack of an error and, of two values that should be equal, the lines that differ. */
const describeFailure = (error) => {
  const { showDiff, generateDiff } = Mocha.reporters.Base;
  const text = error.stack ?? String(error);
  if (!showDiff(error)) return text;
  // The reporter has turned both values into text.
  const lines = generateDiff(error.actual, error.expected).split('\n');
  return [text, ...lines.slice(0, maxDiffLines)].join('\n');
};

const titleOf = (test) => test.titlePath().join(' › ');

const run = async (spec) => {
  const mocha = new Mocha({
    reporter: Reporter,
    forbidOnly: true,
    timeout: process.env.POPSVC_LONG === '1' ? 3_600_000 : 180_000,
  });
  // A response that does not match the OpenAPI documents is reported with this spec and test.
  process.env.POPSVC_SPEC = spec;
  mocha.rootHooks({
    beforeEach() {
      globalThis.popsvcTest = titleOf(this.currentTest);
    },
  });
  mocha.addFile(spec);
  const failed = [];
  const listenersBefore = processErrors.map((event) => process.listeners(event));
  try {
    await mocha.loadFilesAsync();
  } catch (error) {
    return { passes: 0, failures: 1, pending: 0, failed: [error.stack ?? String(error), ...takeRejections()] };
  }
  const runner = await new Promise((resolve) => {
    const started = mocha.run(() => resolve(started));
    started.on('fail', (test, error) => {
      const text = describeFailure(error);
      failed.push(`${titleOf(test)}\n${text}`);
      // Printed here, too: a run that is interrupted prints no summary.
      process.stdout.write(`${text}\n`);
    });
  });
  // Node reports a rejection after the microtasks of the turn in which it happened.
  await nextTurn();
  // Mocha leaves its listeners behind; those of several runners would emit one rejection again and again.
  processErrors.forEach((event, index) => {
    for (const left of process.listeners(event)) if (!listenersBefore[index].includes(left)) process.off(event, left);
  });
  const unhandled = takeRejections();
  const { passes = 0, failures = 0, pending = 0 } = runner.stats;
  return { passes, failures: failures + unhandled.length, pending, failed: [...failed, ...unhandled] };
};

const serve = async () => {
  // Each one fails the spec in which it happens. With a listener, Node goes on and the other specs of this process still run.
  process.on('unhandledRejection', (reason, promise) => {
    if (rejections.has(promise)) return;
    const rejection = `${globalThis.popsvcTest ?? process.env.POPSVC_SPEC}: unhandled rejection\n${reason?.stack ?? reason}`;
    rejections.set(promise, rejection);
    process.stdout.write(`${rejection}\n`);
  });
  const { skippedSuites } = await import('./dist/support/run-conditions.js');
  const { endRun, endSpec } = await import('@popsvc/tools/rig');
  // The gate generates the same cases in every run; the long forms generate others.
  if (process.env.POPSVC_LONG !== '1') fc.configureGlobal({ seed: 5_030 });
  process.on('message', async ({ spec, end }) => {
    // Not left to the event loop: a handle that a failed test left open must not keep the run from ending.
    if (end) return void endRun().finally(() => process.exit(takeRejections().length > 0 ? 1 : 0));
    const result = await run(spec);
    await endSpec();
    process.stdout.write(`\n${mark}${JSON.stringify({ ...result, missing: skippedSuites.splice(0) })}\n`);
  });
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await serve();
