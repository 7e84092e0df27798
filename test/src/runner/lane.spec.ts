import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';

interface SpecResult {
  readonly passes: number;
  readonly failures: number;
  readonly failed: readonly string[];
}

const lanePath = fileURLToPath(new URL('../../lane.mjs', import.meta.url));
/** Begins the line in which a lane reports the result of a spec. */
const mark = '\u0001spec ';

describe('a lane of the test run', () => {
  let folder: string;
  let lane: ChildProcess;
  before(async () => (folder = await temporaryFolder('lane')));
  beforeEach(() => (lane = fork(lanePath, { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })));
  afterEach(() => void lane.kill());

  const runSpec = async (name: string, text: string): Promise<SpecResult> => {
    const spec = join(folder, `${name}.spec.mjs`);
    await writeFile(spec, text);
    lane.send({ spec });
    for await (const line of createInterface({ input: lane.stdout! }))
      if (line.startsWith(mark)) return JSON.parse(line.slice(mark.length)) as SpecResult;
    throw new Error('the lane ended without a result');
  };

  it('fails a spec whose only fault is an unhandled rejection, once', async () => {
    const { passes, failures, failed } = await runSpec(
      'rejects',
      `describe('a suite', () => { it('rejects', async () => {
         void Promise.reject(new Error('nothing handles this'));
         await new Promise((resolve) => setTimeout(resolve, 10));
       }); });`,
    );
    expect({ passes, failures, reports: failed.length }).to.deep.equal({ passes: 1, failures: 1, reports: 1 });
    expect(failed[0]).to.match(/^a suite › rejects: unhandled rejection\nError: nothing handles this/);
  });

  it('shows the lines in which two values differ', async () => {
    const chai = import.meta.resolve('chai');
    const { failed } = await runSpec(
      'differs',
      `import { expect } from '${chai}';
       it('differs', () => expect([{ first: 1, second: 2 }, { third: 3 }]).to.deep.equal([{ first: 1, second: 4 }, { third: 3 }]));`,
    );
    expect(failed[0]).to.match(/^ *-\s+"second": 2\n *\+\s+"second": 4$/m);
  });

  it('fails a spec that rejects at its end', async () => {
    const { failures } = await runSpec(
      'rejects-last',
      `describe('a suite', () => { after(() => void Promise.reject(new Error('last'))); it('passes', () => {}); });`,
    );
    expect(failures).to.equal(1);
  });

  it('passes a spec that handles its rejections', async () => {
    const { passes, failures } = await runSpec(
      'handles',
      `describe('a suite', () => { it('passes', () => Promise.reject(new Error('handled')).catch(() => {})); });`,
    );
    expect({ passes, failures }).to.deep.equal({ passes: 1, failures: 0 });
  });

  it('ends with code 1 after a rejection between the last spec and the end', async () => {
    await runSpec(
      'rejects-later',
      `describe('a suite', () => { it('passes', () => void setTimeout(() => Promise.reject(new Error('later')), 200)); });`,
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    lane.send({ end: true });
    expect(await once(lane, 'exit')).to.deep.equal([1, null]);
  });
});
