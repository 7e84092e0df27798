/** Runs specs in lanes: processes side by side, each of which runs spec after spec. */
import { fork } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { mark } from './lane.mjs';

const here = import.meta.dirname;

/** What a spec whose process ended before its last test counts as. */
const brokenOff = (spec, reason) => ({
  passes: 0,
  failures: 1,
  pending: 0,
  failed: [`${spec}: the process that ran it ended (${reason})`],
  missing: [],
});

/** Runs the specs that `takeNext` returns, until it returns undefined. `onResult` gets the spec, its result with its seconds, and its output. */
const runLane = (env, takeNext, onResult) =>
  new Promise((resolve) => {
    const child = fork(join(here, 'lane.mjs'), {
      env,
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    let [current, began, output] = [undefined, 0, []];
    const report = (result) => onResult(current, { ...result, seconds: (performance.now() - began) / 1000 }, output);
    const next = () => {
      [current, began, output] = [takeNext(), performance.now(), []];
      child.send(current === undefined ? { end: true } : { spec: join(here, 'dist', current.replace(/\.ts$/, '.js')) });
    };
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith(mark)) return void output.push(line);
      report(JSON.parse(line.slice(mark.length)));
      next();
    });
    child.once('exit', (code, signal) => {
      if (current === undefined)
        return resolve(code === 0 ? [] : [`a lane ended with ${signal ?? code} after its last spec`]);
      report(brokenOff(current, signal ?? code));
      // A new process runs the remaining specs: a spec that ends its process must not end the others.
      resolve(runLane(env, takeNext, onResult));
    });
    next();
  });

/**
 * Runs specs in this number of lanes and returns their results by spec, and the failures that belong to no spec. The first lane takes
 * specs from the start of the list, the others take them from its end: so two of the first specs, which need the whole machine, do not
 * run at the same time, and none of them is left when the other lanes are done.
 */
export const runInLanes = async (specs, lanes, env) => {
  const waiting = [...specs];
  const results = new Map();
  const onResult = (spec, result, output) => {
    results.set(spec, result);
    process.stdout.write(`${output.join('\n').trim()}\n\n`);
  };
  const takeNext = (index) => (index === 0 ? waiting.shift() : waiting.pop());
  const ends = await Promise.all(
    Array.from({ length: Math.min(lanes, specs.length) }, (_, index) => runLane(env, () => takeNext(index), onResult)),
  );
  return { results, failures: ends.flat() };
};
