import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';

const entry = join(import.meta.dirname, 'process-exit.program.js');

const startProgram = async () => {
  const child = spawn(process.execPath, [entry], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await once(child.stdout, 'data');
  return { child, output: () => output };
};

describe('the exit of a service process', () => {
  it('comes after its last log lines are written', async () => {
    const { child, output } = await startProgram();
    child.kill('SIGTERM');
    expect(await once(child, 'close')).to.deep.equal([0, null]);
    expect(output()).to.match(/^\{"ready":true\}\n\{"ready":false\}\n[^]*the last line/);
  });

  it('does not wait for a reader that closed the log', async () => {
    const { child } = await startProgram();
    child.stdout.destroy();
    child.kill('SIGTERM');
    const exited = once(child, 'exit');
    const killer = setTimeout(() => child.kill('SIGKILL'), 120_000);
    expect(await exited).to.deep.equal([0, null]);
    clearTimeout(killer);
  });
});
