import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect } from 'chai';

const entry = join(import.meta.dirname, 'last-words.js');

const started = async () => {
  const child = spawn(process.execPath, [entry], { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  await once(child.stdout, 'data');
  return { child, said: () => said };
};

describe('the end of a process', () => {
  it('comes after its last words', async () => {
    const { child, said } = await started();
    child.kill('SIGTERM');
    expect(await once(child, 'close')).to.deep.equal([0, null]);
    expect(said()).to.match(/^\{"ready":true\}\n\{"ready":false\}\n[^]*the last words/);
  });

  it('comes also when nobody listens any more', async () => {
    const { child } = await started();
    child.stdout.destroy();
    child.kill('SIGTERM');
    const gone = once(child, 'exit');
    const killer = setTimeout(() => child.kill('SIGKILL'), 10_000);
    expect(await gone).to.deep.equal([0, null]);
    clearTimeout(killer);
  });
});
