import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { manifest, root } from './tree.fixture.ts';

export interface Seen {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string; readonly module: string }[];
}

export interface Cruise {
  readonly modules: readonly Seen[];
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { readonly name: string };
      readonly cycle?: readonly { readonly name: string }[];
    }[];
  };
}

const program = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
const run = promisify(execFile);

/** What `npm run boundaries` asks for, as data: run in `folder`, which is the project or a copy of its sources. */
export const cruise = async (folder: string): Promise<Cruise> => {
  const [command = '', ...options] = (manifest().scripts?.['boundaries'] ?? '').split(' ');
  if (command !== 'depcruise') throw new Error(`npm run boundaries does not run depcruise but ${command}`);
  const settings = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
  // It exits with the number of violations, and prints what it saw all the same.
  const { stdout } = await run(process.execPath, [program, '--output-type', 'json', ...options], settings).catch(
    (error: unknown) => error as { stdout: string },
  );
  return JSON.parse(stdout) as Cruise;
};
