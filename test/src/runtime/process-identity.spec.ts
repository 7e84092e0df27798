import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { isProcessAlive, readProcessStart } from '@popsvc/platform/runtime';
import { readCommandLine, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import sinon from 'sinon';

describe('a process', () => {
  it('is alive until it ends, and only under its own start time', async () => {
    const child = spawn('sleep', ['60']);
    const startTime = readProcessStart(child.pid!);
    expect(startTime).to.match(/^\d+$/);
    expect(isProcessAlive(child.pid!, startTime)).to.equal(true);
    expect(isProcessAlive(child.pid!, readProcessStart(process.pid))).to.equal(false);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isProcessAlive(child.pid!)).to.equal(false);
  });

  it('is not alive once it was killed, although its parent does not reap it', async () => {
    // The shell starts a process, prints its id, and becomes `sleep`, which reaps no child.
    const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const pid = Number(line.toString());
    // Until it becomes `sleep`, the shell may reap the process.
    await waitUntil(
      () => Promise.resolve(readCommandLine(parent.pid!)),
      (commandLine) => commandLine.startsWith('sleep'),
    );
    expect(isProcessAlive(pid)).to.equal(true);
    process.kill(pid, 'SIGKILL');
    await waitUntil(
      () => Promise.resolve(isProcessAlive(pid)),
      (isAlive) => !isAlive,
    );
    expect(process.kill(pid, 0), 'it is still in the process table').to.equal(true);
    parent.kill('SIGKILL');
    await once(parent, 'exit');
  });

  it('is alive although /proc does not show it', () => {
    sinon.stub(fs, 'readFileSync').throws(Object.assign(new Error('too many open files'), { code: 'EMFILE' }));
    syncBuiltinESMExports();
    try {
      expect(readProcessStart(process.pid)).to.equal('');
      expect(isProcessAlive(process.pid, '1')).to.equal(true);
      for (const pid of [0, -1, Number.NaN, 4_194_305]) expect(isProcessAlive(pid), `${pid}`).to.equal(false);
    } finally {
      sinon.restore();
      syncBuiltinESMExports();
    }
    expect(readProcessStart(process.pid)).to.match(/^\d+$/);
  });
});
