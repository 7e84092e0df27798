import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lockDataFolder } from '@popsvc/embedded/start';
import { describeFailure, OperatorError } from '@popsvc/platform/runtime';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const program = [process.execPath, join(root, 'embedded/dist/main.js')];

/** On root, the rights of files have no effect. Without these capabilities they have. */
const withoutOverride = ['setpriv', '--bounding-set', '-dac_override,-dac_read_search', '--'];

interface Failure {
  readonly code: unknown;
  readonly error: string;
}

/** Runs a program that ends by itself. */
const run = ([file = '', ...args]: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Failure> =>
  new Promise((resolve) => {
    execFile(file, args, { env: { ...process.env, OPS_PORT: '0', ...env } }, (failure, _, error) =>
      resolve({ code: failure?.code ?? 0, error }),
    );
  });

/** Checks that a start ends with exit code 1 and one line that contains these texts. */
const expectRefusal = ({ code, error }: Failure, ...texts: readonly string[]): void => {
  expect(code, error).to.equal(1);
  for (const text of texts) expect(error).to.include(text);
  expect(error.trimEnd().split('\n'), error).to.have.lengthOf(1);
};

describe('a start that the operator can repair', () => {
  it('names the folder that is a file', async () => {
    const folder = await temporaryFolder('start-failure');
    const file = join(folder, 'file');
    await writeFile(file, '');
    expectRefusal(await run(program, { DATA_DIR: file }), `popsvc could not start: ${file}`, 'choose a folder');
    const within = join(file, 'data');
    expectRefusal(await run(program, { DATA_DIR: within }), `popsvc could not start: ${within}`, 'choose a folder');
  });

  it('names the folder that this user may not use', async () => {
    const folder = await temporaryFolder('start-failure');
    await chmod(folder, 0o500);
    const asUser = process.getuid?.() === 0 ? [...withoutOverride, ...program] : program;
    expectRefusal(
      await run(asUser, { DATA_DIR: folder }),
      `popsvc could not start: ${folder}`,
      'give the user that runs this program read and write access to it',
    );
  });

  it('names the process that uses the folder', async () => {
    const folder = await temporaryFolder('start-failure');
    await lockDataFolder(folder);
    expectRefusal(
      await run(program, { DATA_DIR: folder }),
      `DATA_DIR ${folder} is in use by process ${process.pid}: stop that process, or start with another DATA_DIR`,
    );
  });

  it('names the port in use and its variable', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const refusal = await run(program, {
      DATA_DIR: await temporaryFolder('start-failure'),
      COMMAND_API_PORT: '0',
      QUERY_API_PORT: String(port),
    });
    other.close();
    expectRefusal(refusal, `port ${port} is already in use`, 'set QUERY_API_PORT to another port');
  });

  it('names the variable that is wrong', async () => {
    const { code, error } = await run(program, { OPS_PORT: '80x' });
    expect(code).to.equal(1);
    expect(error).to.equal(
      'popsvc could not start: The configuration is not usable:\n  OPS_PORT: must be a whole number\n',
    );
  });

  it('names the version of Node.js that is too old', async () => {
    const copy = await temporaryFolder('start-failure');
    await mkdir(join(copy, 'tools/build'), { recursive: true });
    for (const file of ['check-node.mjs', 'announce-build.mjs'])
      await cp(join(root, 'tools/build', file), join(copy, 'tools/build', file));
    const { engines } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { engines: { node: string } };
    const startOn = async (node: string) => {
      await writeFile(join(copy, 'package.json'), JSON.stringify({ engines: { node } }));
      return run([process.execPath, join(copy, 'tools/build/announce-build.mjs')]);
    };
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    for (const node of [`>=${major + 1}`, `>=${major}.${minor + 1}`])
      expectRefusal(await startOn(node), `popsvc needs Node.js ${node}`, process.version, 'install Node.js');
    for (const node of [engines.node, `>=${major}.${minor}`, `>=${major - 1}.${minor + 1}`])
      expect(await startOn(node), node).to.deep.equal({ code: 0, error: '' });
  });
});

describe('the description of a failure', () => {
  it('has a stack trace only if the operator cannot repair it', () => {
    expect(describeFailure(new OperatorError('the disk is away'))).to.equal('the disk is away');
    expect(describeFailure(new TypeError('x is not a function'))).to.include('    at ');
    const noSuchFile = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', path: '/a' });
    expect(describeFailure(noSuchFile)).to.include('    at ');
  });
});
