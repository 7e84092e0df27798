import { AsyncLocalStorage } from 'node:async_hooks';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgram, runProgram } from '@popsvc/cli/program';
import { type Popsvc, temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { operatorToken } from '../ops-api/ops.fixture.ts';

/** The output of the command that runs in the current asynchronous context. */
const commandOutput = new AsyncLocalStorage<Record<'stdout' | 'stderr', string>>();

const captured = new Set<'stdout' | 'stderr'>();

/** Captures what commands write to a stream; everything else still reaches the stream. */
const captureOutput = (name: 'stdout' | 'stderr'): void => {
  if (captured.has(name)) return;
  captured.add(name);
  const stream = process[name];
  const write = stream.write.bind(stream) as (...args: readonly unknown[]) => boolean;
  stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const output = commandOutput.getStore();
    if (!output) return write(chunk, ...rest);
    output[name] += Buffer.from(chunk).toString();
    const callback = rest.at(-1);
    if (typeof callback === 'function') process.nextTick(callback);
    return true;
  };
};

/** Runs commands in this process, which saves half a second each. program.spec.ts tests them as processes. */
export const popsvcInProcess =
  (env: Readonly<Record<string, string>>): Popsvc =>
  (...args) => {
    captureOutput('stdout');
    captureOutput('stderr');
    const output = { stdout: '', stderr: '' };
    return commandOutput.run(output, async () => {
      const code = await runProgram(createProgram({ DATA_DIR: '/nowhere', ...env }), ['node', 'popsvc', ...args]);
      return { code, ...output };
    });
  };

/** Runs commands in this process against an operations server. */
export const popsvcFor = ({ baseUrl }: { readonly baseUrl: string }): Popsvc =>
  popsvcInProcess({ POPSVC_OPS_URL: baseUrl, POPSVC_OPERATOR_TOKEN: operatorToken });

/** Runs a command with `--json`, which must succeed, and returns what it prints. */
export const runJson = async <T = Readonly<Record<string, unknown>>>(popsvc: Popsvc, ...args: string[]): Promise<T> => {
  const { code, stdout, stderr } = await popsvc(...args, '--json');
  expect(code, stderr).to.equal(0);
  return JSON.parse(stdout) as T;
};

/** Writes a file that exists until the end of the test run. */
export const writeTemporaryFile = async (name: string, text: string | Buffer): Promise<string> => {
  const path = join(await temporaryFolder('operator'), name);
  await writeFile(path, text);
  return path;
};
