import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  dataFormat,
  DataFormatError,
  loadSecrets,
  prepareDataFolder,
  restrictDataFolder,
} from '@popsvc/embedded/start';
import { popsvcVersion } from '@popsvc/platform/runtime';
import { startService, temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';

const fileName = 'popsvc-data.json';

/** The message with which the folder is refused. */
const refusalOf = (dataDir: string, open: (dataDir: string) => Promise<unknown> = prepareDataFolder): Promise<string> =>
  open(dataDir).then(
    () => 'it was accepted',
    (error: unknown) => {
      expect(error).to.be.instanceOf(DataFormatError);
      return (error as Error).message;
    },
  );

/** Names, sizes and times of everything in a folder, to show that nothing changed. */
const snapshotOf = async (dir: string) => {
  const names = await readdir(dir, { recursive: true });
  const entries = await Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs, mode } = await stat(join(dir, name));
      return [name, size, mtimeMs, mode];
    }),
  );
  return entries.sort();
};

describe('the data format of DATA_DIR', () => {
  it('is recorded with the release at the first start, and accepted at the next one', async () => {
    const dataDir = join(await temporaryFolder('data-format'), 'new', 'folder');
    await prepareDataFolder(dataDir);
    const path = join(dataDir, fileName);
    expect(JSON.parse(await readFile(path, 'utf8'))).to.deep.equal({ format: dataFormat, release: popsvcVersion });
    const before = await snapshotOf(dataDir);
    await prepareDataFolder(dataDir);
    expect(await snapshotOf(dataDir)).to.deep.equal(before);
  });

  it('is recorded in a folder that holds only files of other programs', async () => {
    const dataDir = await temporaryFolder('data-format');
    await mkdir(join(dataDir, 'lost+found'));
    await prepareDataFolder(dataDir);
    expect(await readdir(dataDir)).to.have.members(['lost+found', fileName]);
  });

  it('stays that of the release that created the folder', async () => {
    const dataDir = await temporaryFolder('data-format');
    const text = JSON.stringify({ format: dataFormat, release: '0.0.1', more: 'of a later release' });
    await writeFile(join(dataDir, fileName), text);
    await prepareDataFolder(dataDir);
    expect(await readFile(join(dataDir, fileName), 'utf8')).to.equal(text);
  });

  it('is refused if it is another one, with the release that reads it', async () => {
    const dataDir = await temporaryFolder('data-format');
    await writeFile(join(dataDir, fileName), JSON.stringify({ format: dataFormat + 1, release: '9.8.7' }));
    await mkdir(join(dataDir, 'event-store'));
    const before = await snapshotOf(dataDir);
    expect(await refusalOf(dataDir))
      .to.include(dataDir)
      .and.include(`has data format ${dataFormat + 1}, written by popsvc 9.8.7`)
      .and.include(`popsvc ${popsvcVersion} reads format ${dataFormat}`)
      .and.include('Start popsvc 9.8.7 on this folder, or start with another DATA_DIR');
    expect(await snapshotOf(dataDir)).to.deep.equal(before);
  });

  it('is refused if the folder has data but no file with the format', async () => {
    for (const entry of ['secrets.json', 'event-store', 'postgres', 'clickhouse', 'uploads']) {
      const dataDir = await temporaryFolder('data-format');
      if (entry.endsWith('.json')) await writeFile(join(dataDir, entry), '{}');
      else await mkdir(join(dataDir, entry));
      const before = await snapshotOf(dataDir);
      expect(await refusalOf(dataDir), entry)
        .to.include(`DATA_DIR ${dataDir} contains popsvc data (${entry}) but no ${fileName}`)
        .and.include('start with another DATA_DIR');
      expect(await snapshotOf(dataDir), entry).to.deep.equal(before);
    }
  });

  it('is refused if its file is damaged', async () => {
    for (const text of ['', '{"format":', '[]', '{"format":"1","release":"0.1.0"}', '{"format":1}']) {
      const dataDir = await temporaryFolder('data-format');
      await writeFile(join(dataDir, fileName), text);
      const before = await snapshotOf(dataDir);
      expect(await refusalOf(dataDir), text).to.include(`${join(dataDir, fileName)} is damaged`);
      expect(await snapshotOf(dataDir), text).to.deep.equal(before);
    }
  });

  it('is checked by npm start before it changes anything', async () => {
    const dataDir = await temporaryFolder('data-format');
    await writeFile(join(dataDir, fileName), JSON.stringify({ format: dataFormat + 1, release: '9.8.7' }));
    const before = await snapshotOf(dataDir);
    const refusal = await startService({ dataDir }).then(
      () => 'it started',
      (error: unknown) => String(error),
    );
    expect(refusal).to.include('popsvc could not start: DATA_DIR').and.include('written by popsvc 9.8.7');
    expect(refusal, 'no stack trace').to.not.include('    at ');
    expect(await snapshotOf(dataDir)).to.deep.equal(before);
  });
});

describe('the modes of DATA_DIR', () => {
  const modeOf = async (...path: readonly string[]) => ((await stat(join(...path))).mode & 0o777).toString(8);
  /** PostgreSQL runs as another account, if this one is root. */
  const withPostgres = process.getuid?.() === 0 ? '711' : '700';

  it('close a new folder to other accounts, and leave the folders above it open', async () => {
    const parent = await temporaryFolder('modes');
    const dataDir = join(parent, 'new', 'data');
    await prepareDataFolder(dataDir);
    await mkdir(join(parent, 'usual'));
    expect(await modeOf(dataDir)).to.equal('700');
    expect(await modeOf(parent, 'new')).to.equal(await modeOf(parent, 'usual'));
  });

  it('close an existing folder and those of the engines, except for the way to PostgreSQL', async () => {
    const dataDir = await temporaryFolder('modes');
    const folders = ['clickhouse', 'event-store', 'uploads'];
    for (const name of [...folders, 'other']) await mkdir(join(dataDir, name));
    for (const path of [dataDir, ...folders.map((name) => join(dataDir, name))]) await chmod(path, 0o755);
    restrictDataFolder(dataDir, { hasPostgres: true });
    expect(await modeOf(dataDir)).to.equal(withPostgres);
    for (const name of folders) expect(await modeOf(dataDir, name), name).to.equal('700');
    restrictDataFolder(dataDir, { hasPostgres: false });
    expect(await modeOf(dataDir)).to.equal('700');
  });
});

describe('the secrets in DATA_DIR', () => {
  const makeCluster = (dataDir: string) => mkdir(join(dataDir, 'postgres', 'cluster'), { recursive: true });

  it('are created once, and completed if a release needs more', async () => {
    const dataDir = await temporaryFolder('secrets');
    const created = await loadSecrets(dataDir);
    await makeCluster(dataDir);
    expect(await loadSecrets(dataDir)).to.deep.equal(created);
    const others = Object.fromEntries(
      Object.entries(created).filter(([name]) => !['uploadSigningKey', 'encryptionKey'].includes(name)),
    );
    await writeFile(join(dataDir, 'secrets.json'), JSON.stringify(others));
    expect(await loadSecrets(dataDir))
      .to.include(others)
      .and.have.include.keys('uploadSigningKey', 'encryptionKey');
    expect(created.encryptionKey.length).to.be.at.least(32);
    expect((await stat(join(dataDir, 'secrets.json'))).mode & 0o777).to.equal(0o600);
  });

  it('are refused if their file is damaged, or lacks the password of a cluster that exists', async () => {
    const damaged = ['', '{"postgres":', '[]', '{"postgres":7}', '{"operatorToken":"a"}', undefined];
    for (const text of damaged) {
      const dataDir = await temporaryFolder('secrets');
      await makeCluster(dataDir);
      if (text !== undefined) await writeFile(join(dataDir, 'secrets.json'), text);
      const before = await snapshotOf(dataDir);
      expect(await refusalOf(dataDir, loadSecrets), text)
        .to.include(`${join(dataDir, 'secrets.json')} is ${text === undefined ? 'missing' : 'damaged'}`)
        .and.include('Restore the file');
      expect(await snapshotOf(dataDir), text).to.deep.equal(before);
    }
  });
});
