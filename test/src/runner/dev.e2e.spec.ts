import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';

interface DevOptions {
  readonly compiler: readonly string[];
  readonly afterCompile?: readonly string[];
  readonly program: readonly string[];
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

const devPath = fileURLToPath(new URL('../../../tools/build/dev.mjs', import.meta.url));

/** Prints what is appended to the file `lines`, as the compiler prints its lines. */
const compilerText = `
import { readFileSync } from 'node:fs';
let printed = 0;
setInterval(() => {
  const text = readFileSync(process.argv[2], 'utf8');
  process.stdout.write(text.slice(printed));
  printed = text.length;
}, 20);`;

/** Writes its start and its end in order into the file `runs`. */
const programText = `
import { appendFileSync } from 'node:fs';
appendFileSync(process.argv[2], 'start ');
process.on('SIGINT', () => { appendFileSync(process.argv[2], 'stop '); process.exit(0); });
setInterval(() => {}, 1000);`;

const noErrors = 'Found 0 errors. Watching for file changes.\n';

describe('npm run dev', () => {
  let runDev: (options: DevOptions) => Promise<void>;
  let folder: string;
  before(async () => {
    ({ runDev } = (await import(devPath)) as { runDev: (options: DevOptions) => Promise<void> });
    folder = await temporaryFolder('dev');
    await writeFile(join(folder, 'compiler.mjs'), compilerText);
    await writeFile(join(folder, 'program.mjs'), programText);
  });

  const start = async (name: string, afterCompile?: readonly string[]) => {
    const [lines, runs] = [join(folder, `${name}.lines`), join(folder, `${name}.runs`)];
    await Promise.all([writeFile(lines, ''), writeFile(runs, '')]);
    const end = new AbortController();
    const program = (file: string, path: string) => [process.execPath, join(folder, file), path];
    const ended = runDev({
      compiler: program('compiler.mjs', lines),
      ...(afterCompile && { afterCompile }),
      program: program('program.mjs', runs),
      signal: end.signal,
      print: () => undefined,
    });
    const readRuns = () => readFile(runs, 'utf8');
    return {
      compile: (line: string) => appendFile(lines, line),
      readRuns,
      runsAre: (expected: string) => waitUntil(readRuns, (seen) => seen === expected),
      async stop() {
        end.abort();
        await ended;
      },
    };
  };

  it('starts the service after the first compilation and restarts it in order after the next', async () => {
    const dev = await start('restarts');
    await dev.compile(noErrors);
    await dev.runsAre('start ');
    await dev.compile(noErrors);
    await dev.runsAre('start stop start ');
    await dev.stop();
    expect(await dev.readRuns()).to.equal('start stop start stop ');
  });

  it('keeps the service running while a compilation has errors', async () => {
    const dev = await start('errors');
    await dev.compile(noErrors);
    await dev.runsAre('start ');
    await dev.compile('Found 2 errors. Watching for file changes.\n');
    await dev.compile(noErrors);
    await dev.runsAre('start stop start ');
    await dev.stop();
  });

  it('starts nothing when the step after the compilation fails', async () => {
    const marker = join(folder, 'console.marker');
    await writeFile(marker, '');
    const failing = `require('node:fs').appendFileSync(${JSON.stringify(marker)}, 'ran'); process.exit(1)`;
    const dev = await start('console', [process.execPath, '-e', failing]);
    await dev.compile(noErrors);
    await waitUntil(
      () => readFile(marker, 'utf8'),
      (seen) => seen === 'ran',
    );
    await dev.stop();
    expect(await dev.readRuns()).to.equal('');
  });
});
