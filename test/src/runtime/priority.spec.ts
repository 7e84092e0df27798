import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';

const entry = join(import.meta.dirname, 'priority.program.js');
const groupFile = '/proc/self/autogroup';
const readGroup = () => (existsSync(groupFile) ? readFileSync(groupFile, 'utf8') : undefined);

/** Runs a program that lowers its priority. `detached`: in a session of its own. */
const lowerPriority = async (detached: boolean) => {
  const { stdout } = spawn(process.execPath, [entry], { stdio: ['ignore', 'pipe', 'inherit'], detached });
  return JSON.parse(await text(stdout)) as { readonly priority: number; readonly group?: string };
};

describe('the CPU priority of a process', () => {
  it('is lowered together with its group, if the process started its session', async () => {
    // Linux refuses a change less than 0.1 s after that of another process.
    const { priority } = await waitUntil(
      () => lowerPriority(true),
      ({ group }) => group?.includes('nice 15') ?? readGroup() === undefined,
    );
    expect(priority).equal(15);
  });

  it('is lowered without the group of a session that another process started', async () => {
    const before = readGroup();
    expect(await lowerPriority(false)).deep.equal({ priority: 15, ...(before !== undefined && { group: before }) });
  });
});
