import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StartConfig } from '@popsvc/embedded/start';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { describeIfInstalled, isInstalled } from '../support/run-conditions.ts';
import { read, root } from './tree.fixture.ts';

const unit = read('deploy/systemd/popsvc.service');
const valuesOf = (name: string): readonly string[] =>
  [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value = '']) => value);

describe('the unit for systemd', () => {
  it('runs the program of npm start, with variables that it has', () => {
    const [command = ''] = valuesOf('ExecStart');
    const program = command.split(' ').at(-1)!;
    expect(read('package.json')).to.include(`node --enable-source-maps ${program}`);
    expect(existsSync(join(root, program))).to.equal(true);
    const variables = valuesOf('Environment').map((each) => each.split('=')[0]!);
    expect(variables.filter((name) => name !== 'NODE_ENV' && !(name in StartConfig.shape))).to.deep.equal([]);
  });

  it('keeps the data in the state folder that systemd creates', () => {
    expect(valuesOf('Environment')).to.include(`DATA_DIR=/var/lib/${valuesOf('StateDirectory')[0]}`);
    expect(valuesOf('StateDirectoryMode')).to.deep.equal(['0700']);
  });
});

describeIfInstalled('systemd-analyze', isInstalled('systemd-analyze'), 'the unit, as systemd-analyze reads it', () => {
  /** Runs a command on a copy of the unit whose paths exist on this machine. Returns all its output. */
  const analyze = async (...args: readonly string[]): Promise<string> => {
    const copy = join(await temporaryFolder('unit'), 'popsvc.service');
    writeFileSync(copy, unit.replace('/usr/bin/node', process.execPath).replaceAll('/opt/popsvc', root));
    return execFileSync('sh', ['-c', 'systemd-analyze "$@" 2>&1', 'sh', ...args, copy], { encoding: 'utf8' });
  };

  it('has no errors and no warnings', async () => {
    expect(await analyze('verify')).to.equal('');
  });

  it('backs up every day, with a unit and a timer without errors and warnings', async () => {
    const folder = await temporaryFolder('backup-unit');
    const paths = ['service', 'timer'].map((kind) => join(folder, `popsvc-backup.${kind}`));
    for (const path of paths)
      writeFileSync(
        path,
        read(`deploy/systemd/${basename(path)}`)
          .replaceAll('/usr/bin/node', process.execPath)
          .replaceAll('/opt/popsvc', root),
      );
    const output = execFileSync('sh', ['-c', 'systemd-analyze verify "$@" 2>&1', 'sh', ...paths], { encoding: 'utf8' });
    expect(output).to.equal('');
  });

  it('is hardened', async () => {
    const output = await analyze('security', '--offline=true', '--threshold=20');
    expect(Number(/Overall exposure level for \S+: ([\d.]+)/.exec(output)?.[1])).to.be.lessThan(2);
  });
});
