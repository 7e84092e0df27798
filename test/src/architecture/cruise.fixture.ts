import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { manifest, root } from './tree.fixture.ts';

export interface VisitedModule {
  readonly source: string;
  readonly dependencies: readonly { readonly resolved: string; readonly module: string }[];
}

export interface Cruise {
  readonly modules: readonly VisitedModule[];
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

/** Runs the command of `npm run boundaries` in `folder`, the project or a copy of it, and returns the report. */
export const cruise = async (folder: string): Promise<Cruise> => {
  const [command = '', ...options] = (manifest().scripts?.['boundaries'] ?? '').split(' ');
  if (command !== 'depcruise') throw new Error(`npm run boundaries runs ${command} instead of depcruise`);
  const execOptions = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
  // The exit code is the number of violations; the report is printed in each case.
  const { stdout } = await run(process.execPath, [program, '--output-type', 'json', ...options], execOptions).catch(
    (error: unknown) => error as { stdout: string },
  );
  return JSON.parse(stdout) as Cruise;
};
