/**
 * `npm run dev`: compiles on every change and restarts the service after each compilation without errors. While there are errors, the
 * last working service keeps running. Ctrl-C shuts the service down, then stops the compiler.
 */
import './check-node.mjs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const root = join(import.meta.dirname, '../..');

/** Matches the line that `tsc --watch` prints at the end of each compilation; the group is the number of errors. */
const compiled = /Found (\d+) errors?\. Watching for file changes\./;

const run = (command, args, options) => spawn(command, args, { cwd: root, stdio: 'inherit', ...options });

const hasExited = (child) => child.exitCode !== null || child.signalCode !== null;

const stop = async (child) => {
  if (!child || hasExited(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGINT');
  await exited;
};

/**
 * Runs `compiler`, which prints the output of `tsc --watch`. After each compilation without errors, runs `afterCompile` and, if
 * that exits with 0, restarts `program`. `compiler`, `afterCompile` and `program` are arrays that contain a command and its
 * arguments. Resolves when `signal` aborts and all processes have ended.
 */
export const runDev = async ({ compiler, afterCompile, program, signal, print }) => {
  const watching = run(compiler[0], compiler.slice(1), { stdio: ['ignore', 'pipe', 'inherit'] });
  let running;
  let restarts = Promise.resolve();
  const restart = async () => {
    if (signal.aborted) return;
    if (afterCompile) {
      const [code] = await once(run(afterCompile[0], afterCompile.slice(1)), 'exit');
      if (code !== 0 || signal.aborted) return;
    }
    if (running) print('restarting the service');
    await stop(running);
    if (signal.aborted) return;
    running = run(program[0], program.slice(1));
  };
  createInterface({ input: watching.stdout }).on('line', (line) => {
    print(line);
    // Restarts run one after the other: a compilation may end while the service is still stopping.
    if (compiled.exec(line)?.[1] === '0') restarts = restarts.then(restart);
  });
  await Promise.race([once(signal, 'abort'), once(watching, 'exit')]);
  const isAborted = signal.aborted;
  await restarts;
  await stop(running);
  await stop(watching);
  if (!isAborted) throw new Error(`the compiler ended with ${watching.exitCode ?? watching.signalCode}`);
};

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const end = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => end.abort());
  const [code] = await once(run(process.execPath, ['tools/build/generate-api-types.mjs']), 'exit');
  if (code !== 0) process.exit(1);
  await runDev({
    compiler: [process.execPath, 'node_modules/typescript-7/bin/tsc', '-b', '--watch', '--preserveWatchOutput'],
    afterCompile: [process.execPath, 'console/build.mjs'],
    program: [process.execPath, '--enable-source-maps', 'embedded/dist/main.js'],
    signal: end.signal,
    print: (line) => process.stdout.write(`${line}\n`),
  });
}
