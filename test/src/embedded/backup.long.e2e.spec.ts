import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { appendFile, cp, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type BackupManifest, readManifest, restoreBackup, verifyBackup, writeManifest } from '@popsvc/embedded/backup';
import {
  createPopsvcCommand,
  createTestPartner,
  popsvcBin,
  type Service,
  startService,
  temporaryFolder,
  waitUntil,
} from '@popsvc/tools/rig';
import { expect } from 'chai';
import { blocksOf } from '../e2e/guide-blocks.fixture.ts';
import { startAndWait } from '../e2e/start-and-stop.fixture.ts';
import { fillReports, readReports, type Reports, waitUntilProjected } from '../faults/damaged-installation.fixture.ts';
import { chooseRounds, chooseSeed, createFractions } from '../support/rounds.ts';
import { flipBit } from '../event-store/log.fixture.ts';

const isLong = process.env['POPSVC_LONG'] === '1';
const damageRounds = chooseRounds(1, 20);
const killRounds = chooseRounds(1, 10);
const seed = chooseSeed(11);

const guide = 'docs/guides/operators/repair.md';
const tool = fileURLToPath(new URL('../../../embedded/dist/backup/backup-tool.js', import.meta.url));

/** The day of the events that are pushed during a backup. The reports of `fillReports` are of another day. */
const loadMs = Date.parse('2026-09-03T08:00:00Z');
const loadWindow = { from: new Date('2026-09-03T00:00:00Z'), to: new Date('2026-09-05T00:00:00Z') };

/** Pushes plays and detections, one request after the other, until `stop` is called. */
const startLoad = ({ credentials }: Service) => {
  const { push } = createTestPartner(credentials);
  const acknowledged = new Set<string>();
  const sent = new Set<string>();
  let isStopping = false;
  const run = async (pusher: number) => {
    for (let request = 0; !isStopping; request += 1) {
      const at = (second: number) => new Date(loadMs + (request * 10 + second) * 1_000).toISOString();
      const events = Array.from({ length: 5 }, (_, n) => ({
        eventId: `load-${pusher}-${request}-${n}`,
        screenId: pusher % 2 === 0 ? 'demo-screen-1' : 'demo-screen-2',
        campaignId: 'DEMO-1',
        creativeId: 'DEMO-CR-1',
        playedAt: at(n * 2),
        durationMs: 2_000,
      }));
      for (const { eventId } of events) sent.add(eventId);
      const { status } = await push('/pop/events', { events });
      if (status === 202) for (const { eventId } of events) acknowledged.add(eventId);
      await push('/audience/detections', {
        detections: [
          {
            detectionId: `load-${pusher}-${request}`,
            deviceId: 31,
            feederId: 41,
            watcherId: pusher,
            startedAt: at(0),
            endedAt: at(9),
            watches: [{ startedAt: at(1), endedAt: at(5) }],
          },
        ],
      });
    }
  };
  const running = [run(0), run(1)];
  return {
    acknowledged,
    sent,
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
  };
};

/**
 * Lists the plays whose rows do not change any more: both pushers had sent the detections of their time. A pusher sends the next plays
 * after the detection that belongs to its plays.
 */
const listSettled = (ids: readonly string[]): readonly string[] => {
  const requests = ids.map((id) => id.split('-').slice(1, 3).map(Number) as [number, number]);
  const newestOf = (pusher: number) => Math.max(-1, ...requests.filter(([of]) => of === pusher).map(([, at]) => at));
  const newest = Math.min(newestOf(0), newestOf(1));
  return ids.filter((_, index) => requests[index]![1] < newest);
};

/** Reads the rows of the plays that were pushed during the backup, by event id, without the time of their computation. */
const readLoadRows = async ({ credentials }: Service): Promise<ReadonlyMap<string, readonly string[]>> => {
  const rows = new Map<string, string[]>();
  for await (const row of createTestPartner(credentials).client.coffee(loadWindow)) {
    const stored = JSON.stringify({ ...row, SILVER_STAGE_TIMESTAMP: undefined });
    rows.set(row.EVENT_ID, [...(rows.get(row.EVENT_ID) ?? []), stored].toSorted());
  }
  return rows;
};

const listFiles = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const requireManifest = async (folder: string): Promise<BackupManifest> => {
  const manifest = await readManifest(folder);
  if (typeof manifest === 'string') throw new Error(`the manifest is ${manifest}`);
  return manifest;
};

/** Runs the tool until it ends, or kills it after a while. Returns whether it was killed. */
const runTool = async (args: readonly string[], killAfterMs?: number): Promise<boolean> => {
  const child: ChildProcess = spawn(process.execPath, [tool, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const exited = once(child, 'exit');
  if (killAfterMs !== undefined) {
    await Promise.race([exited, sleep(killAfterMs)]);
    child.kill('SIGKILL');
  }
  const [code] = (await exited) as [number | null];
  if (code !== null && code !== 0) throw new Error(`the tool ended with code ${String(code)}`);
  return code === null;
};

describe(`a backup of one machine (seed ${seed})`, function () {
  this.timeout(isLong ? 3_600_000 : 300_000);
  let service: Service;
  let reports: Reports;
  let load: ReturnType<typeof startLoad>;
  /** The ids that were acknowledged before the backup began. */
  let acknowledgedBefore: readonly string[];
  /** The rows of the running service for the plays that were pushed during the backup. */
  let rowsOfSource: ReadonlyMap<string, readonly string[]>;
  let parent: string;
  let backup: string;
  let backupMs: number;
  const popsvc = (dataDir: string) => createPopsvcCommand({ DATA_DIR: dataDir });

  /** Runs a block of the guide, with the folders of this test. Resolves with the folder of the backup that it names. */
  const runBlock = async (language: string, dataDir: string): Promise<string> => {
    const [block = '', ...more] = blocksOf(guide, language);
    expect(more, language).to.deep.equal([]);
    const script = block
      .replaceAll('npx popsvc', `"${process.execPath}" "${popsvcBin}"`)
      .replaceAll('/var/backups/popsvc', parent)
      .replaceAll('/var/lib/popsvc-restored', dataDir);
    const { stdout } = await promisify(execFile)('sh', ['-euc', `${script}echo "$BACKUP"`], {
      env: { PATH: process.env['PATH'], DATA_DIR: dataDir },
    });
    return stdout.trim().split('\n').at(-1)!;
  };

  before(async () => {
    parent = await temporaryFolder('backups');
    service = await startService();
    reports = await fillReports(service.credentials);
  });
  after(() => service.stop());

  it('is made as in the guide while events arrive, and only its owner may read it', async () => {
    load = startLoad(service);
    await waitUntil(
      () => Promise.resolve(load.acknowledged.size),
      (count) => count >= 30,
    );
    acknowledgedBefore = [...load.acknowledged];
    const startMs = performance.now();
    backup = await runBlock('sh machine-backup', service.dataDir);
    backupMs = performance.now() - startMs;
    await load.stop();
    expect(load.acknowledged.size).to.be.greaterThan(acknowledgedBefore.length);
    expect(statSync(backup).mode & 0o777).to.equal(0o700);
    for (const file of listFiles(backup)) expect(statSync(file).mode & 0o777, file).to.equal(0o600);
    const shadow = join(service.dataDir, 'clickhouse/data/shadow/popsvc_backup');
    expect(existsSync(shadow), 'parts that ClickHouse keeps for the backup').to.equal(false);
    await waitUntilProjected(service.credentials);
    rowsOfSource = await readLoadRows(service);
  });

  it('is not made into a folder with other files, or without a running service', async () => {
    const again = await popsvc(service.dataDir)('backup', 'create', backup);
    expect([again.code, again.stderr]).to.deep.equal([
      1,
      `popsvc: ${backup} is not empty: name a new folder for the backup, such as one with the date and time\n`,
    ]);
    const folder = join(parent, 'other');
    const without = await popsvc(parent)('backup', 'create', folder);
    expect([without.code, existsSync(folder)]).to.deep.equal([1, false]);
    expect(without.stderr).to.include(`popsvc: no service runs in DATA_DIR ${parent}: start it`);
  });

  it('names each file that is damaged, and is then not restored', async () => {
    const next = createFractions(seed);
    const choose = <T>(all: readonly T[]): T => all[Math.floor(next() * all.length)]!;
    const { files } = await requireManifest(backup);
    const ways: Readonly<Record<string, (file: string) => Promise<void>>> = {
      flipped: (file) => Promise.resolve().then(() => flipBit(file, Math.floor(next() * statSync(file).size))),
      shortened: (file) => truncate(file, Math.floor(next() * statSync(file).size)),
      removed: (file) => rm(file),
      extended: (file) => appendFile(file, 'x'),
    };
    const kinds = [
      /^event-store\/.*log$/,
      /^event-store\/durable-end$/,
      /^postgres\//,
      /^clickhouse\//,
      /^secrets\.json$/,
    ];
    const damaged = join(parent, 'damaged');
    for (let round = 0; round < damageRounds; round += 1)
      for (const kind of kinds) {
        const { path } = choose(files.filter((file) => kind.test(file.path) && file.bytes > 0));
        const way = choose(Object.keys(ways));
        await cp(backup, damaged, { recursive: true });
        await ways[way]!(join(damaged, path));
        const { problems } = await verifyBackup(damaged);
        expect(problems, way).to.have.lengthOf(1);
        expect(problems[0]).to.include(`${join(damaged, path)} `);
        const target = join(parent, 'from-damaged');
        const refusal = await restoreBackup(damaged, target).catch((error: unknown) => String(error));
        expect(refusal).to.include(`${damaged} is damaged, and nothing was restored: ${problems[0]}. Use another`);
        expect(existsSync(target)).to.equal(false);
        await rm(damaged, { recursive: true });
      }
  });

  it('is not whole if its manifest is damaged, a file was added, or a checkpoint is beyond the end of the log', async () => {
    const changed = join(parent, 'changed');
    await cp(backup, changed, { recursive: true });
    await writeFile(join(changed, 'uploads.txt'), '');
    const report = await popsvc(parent)('backup', 'verify', changed);
    expect([report.code, report.stderr]).to.deep.equal([1, 'popsvc: the backup is damaged in 1 places\n']);
    expect(report.stdout).to.include(`damaged:\n  ${join(changed, 'uploads.txt')} is not part of the backup\n`);
    await rm(join(changed, 'uploads.txt'));

    const manifest = await requireManifest(changed);
    const [first, ...others] = manifest.checkpoints;
    const beyond = String(manifest.log_end + 1);
    await writeManifest(changed, { ...manifest, checkpoints: [{ ...first!, position: beyond }, ...others] });
    expect((await verifyBackup(changed)).problems).to.deep.equal([
      `the checkpoint of ${first!.projection} generation ${first!.generation} (${beyond}) is beyond the end of the log (${manifest.log_end})`,
    ]);

    const path = join(changed, 'backup.json');
    await writeFile(path, (await readFile(path, 'utf8')).replace(/"bytes": \d/, '"bytes": 9'));
    const failure = await verifyBackup(changed).catch((error: unknown) => String(error));
    expect(failure).to.include(`${path} is damaged`);
    await rm(changed, { recursive: true });
  });

  it(`is incomplete if it was killed, and the next one is whole (${killRounds} kills)`, async () => {
    const next = createFractions(seed);
    for (let round = 0; round < killRounds; round += 1) {
      const folder = join(parent, `killed-${round}`);
      const wasKilled = await runTool(['create', service.dataDir, folder], 200 + next() * backupMs * 0.6);
      if (!wasKilled) continue;
      const target = join(parent, 'from-killed');
      for (const refusal of [verifyBackup(folder), restoreBackup(folder, target)])
        expect(await refusal.catch((error: unknown) => String(error))).to.include(
          `${folder} is no complete backup: ${folder}/backup.json is missing, which is written last`,
        );
      expect(existsSync(target)).to.equal(false);
    }
    const small = join(parent, 'small');
    const { code, stdout } = await popsvc(service.dataDir)(
      'backup',
      'create',
      small,
      '--without-read-models',
      '--json',
    );
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ folder: small, read_models: false });
    expect((await verifyBackup(small)).problems).to.deep.equal([]);
    expect(existsSync(join(small, 'clickhouse'))).to.equal(false);
    expect(existsSync(join(small, 'event-store/0000000000000000.log'))).to.equal(true);
  });

  it('is restored as in the guide, also after kills of the restore, with every acknowledged event and the same reports', async () => {
    const next = createFractions(seed);
    const dataDir = join(parent, 'restored');
    for (let round = 0; round < killRounds; round += 1) {
      if (!(await runTool(['restore', backup, dataDir], backupMs * (0.3 + next() * 0.4)))) {
        await rm(dataDir, { recursive: true });
        continue;
      }
      if (existsSync(join(dataDir, 'restore-unfinished'))) {
        const { code, error } = await startAndWait(dataDir);
        expect(code).to.equal(1);
        expect(error)
          .to.include(`DATA_DIR ${dataDir} is restored incompletely`)
          .and.include('Run popsvc restore again');
      }
    }
    await service.stop();
    await runBlock('sh machine-restore', dataDir);
    const refusal = await restoreBackup(backup, dataDir).catch((error: unknown) => String(error));
    expect(refusal).to.include(
      `DATA_DIR ${dataDir} is not empty, and nothing was restored: set DATA_DIR to a new folder`,
    );

    service = await startService({ dataDir });
    await waitUntilProjected(service.credentials);
    const restored = await readReports(service.credentials);
    for (const name of ['coffee', 'watchers', 'uptime', 'registry'])
      expect(restored[name], name).to.deep.equal(reports[name]);
    const rows = await readLoadRows(service);
    expect(acknowledgedBefore.filter((id) => !rows.has(id))).to.deep.equal([]);
    expect([...rows.keys()].filter((id) => !load.sent.has(id))).to.deep.equal([]);
    const settled = listSettled(acknowledgedBefore);
    expect(settled).to.not.deep.equal([]);
    for (const id of settled) expect(rows.get(id), id).to.deep.equal(rowsOfSource.get(id));
    const { stdout } = await popsvc(service.dataDir)('doctor');
    expect(stdout).to.match(/^ok +read-models +verified/m);
  });

  if (isLong)
    it('builds the reports again from the log, if it contains no read models', async () => {
      await service.stop();
      const dataDir = join(parent, 'restored-small');
      await mkdir(dataDir);
      expect((await popsvc(dataDir)('restore', join(parent, 'small'))).code).to.equal(0);
      service = await startService({ dataDir });
      const restored = await waitUntil(
        () => readReports(service.credentials),
        ({ coffee }) => coffee?.status === 200,
        120_000,
      );
      for (const name of ['coffee', 'watchers', 'uptime']) expect(restored[name], name).to.deep.equal(reports[name]);
    });
});
