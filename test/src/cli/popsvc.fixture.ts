import { AsyncLocalStorage } from 'node:async_hooks';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createProgram, runProgram } from '@popsvc/cli/program';
import type { Popsvc } from '@popsvc/tools/rig';
import { operatorToken } from '../ops/ops.fixture.ts';
import { temporaryFolder } from '../support/engines.ts';

/** What a command that runs in this process has written. */
const said = new AsyncLocalStorage<Record<'stdout' | 'stderr', string>>();

const listened = new Set<'stdout' | 'stderr'>();

/** What a command writes is kept from the report of the tests. */
const listen = (name: 'stdout' | 'stderr'): void => {
  if (listened.has(name)) return;
  listened.add(name);
  const stream = process[name];
  const write = stream.write.bind(stream) as (...args: readonly unknown[]) => boolean;
  stream.write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
    const own = said.getStore();
    if (!own) return write(chunk, ...rest);
    own[name] += Buffer.from(chunk).toString();
    const done = rest.at(-1);
    if (typeof done === 'function') process.nextTick(done);
    return true;
  };
};

/** The command line in this process, which spares every command half a second; how it does as a process, usage.spec.ts tells. */
export const popsvcHere =
  (env: Readonly<Record<string, string>>): Popsvc =>
  (...args) => {
    listen('stdout');
    listen('stderr');
    const own = { stdout: '', stderr: '' };
    return said.run(own, async () => {
      const code = await runProgram(createProgram({ DATA_DIR: '/nowhere', ...env }), ['node', 'popsvc', ...args]);
      return { code, ...own };
    });
  };

export const popsvcOf = ({ baseUrl }: { readonly baseUrl: string }): Popsvc =>
  popsvcHere({ POPSVC_OPS_URL: baseUrl, POPSVC_OPERATOR_TOKEN: operatorToken });

/** A file of the given content that lasts as long as the run. */
export const fileOf = async (name: string, text: string | Buffer): Promise<string> => {
  const path = join(await temporaryFolder('operator'), name);
  await writeFile(path, text);
  return path;
};
