import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { restoreBackup } from '@popsvc/embedded/backup';
import { createPopsvcCommand, popsvcBin, type Service, startService, temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { root } from '../architecture/tree.fixture.ts';
import { blocksOf } from '../e2e/guide-blocks.fixture.ts';
import { readReports, type Reports, waitUntilProjected } from '../faults/damaged-installation.fixture.ts';

const run = promisify(execFile);
const guide = 'docs/guides/operators/run.md';

/**
 * DATA_DIR of the commit in the name, before 0.1.0-alpha.3, with 651 requested events, and the reports of that version (`fillReports`). It
 * has the form of a backup: the files of the log and of ClickHouse as that version wrote them, and the rows of PostgreSQL, whose own
 * files are large and only of use to one major version of PostgreSQL.
 */
const archive = join(root, 'test/data/upgrade/eb54d77b.tar.gz');

type Row = readonly (readonly [column: string, value: string])[];

/** Reads the rows of a report without columns that the earlier version did not have. */
const rowsOf = (reports: Reports, name: string, columns?: ReadonlySet<string>): readonly Row[] =>
  (JSON.parse(reports[name]!.text) as readonly Row[]).map((row) =>
    columns ? row.filter(([column]) => columns.has(column)) : row,
  );

describe('the upgrade of one machine', () => {
  let service: Service;
  let reportsBefore: Reports;
  let upgraded: Reports;
  const parent = temporaryFolder('upgrade');

  /** Runs a block of the guide, with the folders of this test. */
  const runBlock = async (language: string): Promise<string> => {
    const [block = '', ...more] = blocksOf(guide, language);
    expect(more, language).to.deep.equal([]);
    const script = block
      .replaceAll('npx popsvc', `"${process.execPath}" "${popsvcBin}"`)
      .replaceAll('/var/backups/popsvc', await parent);
    const { stdout } = await run('sh', ['-euc', script], {
      env: { PATH: process.env['PATH'], DATA_DIR: service.dataDir },
    });
    return stdout;
  };

  before(async () => {
    await run('tar', ['-xzf', archive, '-C', await parent]);
    reportsBefore = JSON.parse(await readFile(join(await parent, 'reports.json'), 'utf8')) as Reports;
    const dataDir = join(await parent, 'popsvc');
    await restoreBackup(join(await parent, 'data-dir'), dataDir);
    service = await startService({ dataDir });
    await waitUntilProjected(service.credentials);
    upgraded = await readReports(service.credentials);
  });
  after(() => service.stop());

  it('keeps every event of the log', async () => {
    const popsvc = createPopsvcCommand({ DATA_DIR: service.dataDir });
    const eventsIn = async (folder: string): Promise<readonly string[]> => {
      const { stdout, stderr } = await popsvc('log', 'verify', folder);
      expect(stdout, stderr).to.include('no damage');
      return stdout.split('\n', 1);
    };
    const count = (line: string | undefined) => Number(/([\d,]+) whole events/.exec(line ?? '')?.[1]?.replace(',', ''));
    const [[old], [now]] = await Promise.all([
      eventsIn(join(await parent, 'data-dir/event-store')),
      eventsIn(join(service.dataDir, 'event-store')),
    ]);
    expect(count(old)).to.be.greaterThan(10);
    expect(count(now)).to.be.at.least(count(old));
  });

  for (const name of ['coffee', 'watchers'])
    it(`keeps every row of ${name}`, () => {
      const old = rowsOf(reportsBefore, name);
      expect(old.length).to.be.at.least(300);
      const columns = new Set(old[0]!.map(([column]) => column));
      expect(rowsOf(upgraded, name, columns)).to.deep.equal(old);
    });

  it('keeps the uptime, the registry, and the balance of events', () => {
    for (const name of ['uptime', 'registry', 'balance']) {
      expect(upgraded[name]?.status, name).to.equal(200);
      expect(JSON.parse(upgraded[name]!.text), name).to.deep.equal(JSON.parse(reportsBefore[name]!.text));
    }
  });

  it('follows the guide', async () => {
    const checks = await runBlock('sh machine-upgraded');
    for (const check of ['migrations', 'schema', 'read-models', 'generations'])
      expect(checks).to.match(new RegExp(`^ok +${check} `, 'm'));
    expect(checks).to.match(/^coffee +1 +running .* false +-$/m);
    expect(await runBlock('sh machine-upgrade')).to.include('no damage');
  });
});
