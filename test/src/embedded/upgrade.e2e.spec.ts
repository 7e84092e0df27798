import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { restoreBackup } from '@popsvc/embedded/backup';
import {
  createPopsvcCommand,
  createTestPartner,
  type Popsvc,
  popsvcBin,
  type Service,
  startService,
  temporaryFolder,
  waitUntil,
} from '@popsvc/tools/rig';
import { expect } from 'chai';
import { root } from '../architecture/tree.fixture.ts';
import { blocksOf } from '../e2e/guide-blocks.fixture.ts';
import { detections, type Reports, waitUntilProjected } from '../faults/damaged-installation.fixture.ts';
import { expectRefused } from '../query-api/refusals.fixture.ts';
import { basic, requestToken, type TokenBody } from '../tokens/token-requests.fixture.ts';
import { type Answers, type Issued, play, readAnswers } from './upgrade.fixture.ts';

const run = promisify(execFile);
const guide = 'docs/guides/operators/run.md';
const day = 'from=2026-09-01T00:00:00Z&to=2026-09-02T00:00:00Z';
const datasets = ['coffee', 'watcher-summary'];

/** The archives of test/data/upgrade by the commit of their release, and whether they have more than reports. */
const archives = [
  { release: 'eb54d77b', isComplete: false },
  { release: 'ca101db1', isComplete: true },
];

/** What the earlier release responded. */
type Recorded = Pick<Answers, 'reports'> & Partial<Answers & { readonly issued: Issued }>;

type Row = readonly (readonly [column: string, value: string])[];

/** Reads the rows of a report without columns that the earlier version did not have. */
const rowsOf = (reports: Reports, name: string, columns?: ReadonlySet<string>): readonly Row[] =>
  (JSON.parse(reports[name]!.text) as readonly Row[]).map((row) =>
    columns ? row.filter(([column]) => columns.has(column)) : row,
  );

/** Leaves out the fields of a response that the earlier version did not have. */
const withFieldsOf = (old: unknown, now: unknown): unknown => {
  if (Array.isArray(old) && Array.isArray(now)) return now.map((each, index) => withFieldsOf(old[index], each));
  if (typeof old !== 'object' || typeof now !== 'object' || old === null || now === null) return now;
  const known = Object.entries(now).filter(([name]) => name in old);
  return Object.fromEntries(known.map(([name, value]) => [name, withFieldsOf(old[name as keyof typeof old], value)]));
};

const popsvcOf = ({ dataDir }: Service): Popsvc => createPopsvcCommand({ DATA_DIR: dataDir });

/** Findings of the doctor that depend on the time of the events, or on the machine. */
const isOfTheMoment = (line: string) => /^WARNING +(devices|flow|quarantine|disk)\b/.test(line);

for (const { release, isComplete } of archives)
  describe(`the upgrade of one machine from ${release}`, function () {
    this.timeout(600_000);
    let service: Service;
    let recorded: Recorded;
    /** Responses at the start, when replays may run, and after these. */
    let started: Answers;
    let replayed: Answers;
    /** Status of a report of a time before the upgrade, at the start. */
    let earlierStatus: number;
    const beforeUpgrade = new Date().toISOString();
    const parent = temporaryFolder('upgrade');

    const read = (path: string) => createTestPartner(service.credentials).read(path);
    const page = (dataset: string, query: string) => read(`/${dataset}?${day}&limit=1000${query}`);
    const readProjections = async () => {
      const { ops_base_url: url, operator_token: token } = service.credentials;
      const response = await fetch(`${url}/ops/v1/projections`, { headers: { authorization: `Bearer ${token}` } });
      return (await response.json()) as readonly { readonly name: string; readonly outdated: boolean }[];
    };

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
      await run('tar', ['-xzf', join(root, `test/data/upgrade/${release}.tar.gz`), '-C', await parent]);
      const file = join(await parent, isComplete ? 'answers.json' : 'reports.json');
      const content: unknown = JSON.parse(await readFile(file, 'utf8'));
      recorded = isComplete ? (content as Recorded) : { reports: content as Reports };
      const dataDir = join(await parent, 'popsvc');
      await restoreBackup(join(await parent, 'data-dir'), dataDir);
      service = await startService({ dataDir });
      await waitUntilProjected(service.credentials);
      started = await readAnswers(service.credentials);
      // 400 until the first batch after the start.
      const earlier = await waitUntil(
        () => page('coffee', `&as_of=${beforeUpgrade}`),
        ({ status }) => status !== 400,
      );
      earlierStatus = earlier.status;
      const listOutdated = async () =>
        (await readProjections()).flatMap(({ name, outdated }) => (outdated ? name : []));
      // No projection has new tables that a replay fills, so the operator replays those with another version.
      for (const name of await listOutdated()) {
        const { code, stderr } = await popsvcOf(service)('projections', 'replay', name);
        expect(code, stderr).to.equal(0);
      }
      replayed = await readAnswers(service.credentials);
    });
    after(() => service.stop());

    it('keeps every event of the log', async () => {
      const countEvents = async (folder: string): Promise<number> => {
        const { stdout, stderr } = await popsvcOf(service)('log', 'verify', folder);
        expect(stdout, stderr).to.include('no damage');
        return Number(/([\d,]+) whole events/.exec(stdout)?.[1]?.replaceAll(',', ''));
      };
      const [old, now] = await Promise.all([
        countEvents(join(await parent, 'data-dir/event-store')),
        countEvents(join(service.dataDir, 'event-store')),
      ]);
      expect(old).to.be.greaterThan(10);
      expect(now).to.be.at.least(old);
    });

    for (const name of ['coffee', 'watchers'])
      it(`keeps every row of ${name}, at the start and after the replays`, () => {
        const old = rowsOf(recorded.reports, name);
        expect(old.length).to.be.at.least(300);
        const columns = new Set(old[0]!.map(([column]) => column));
        for (const { reports } of [started, replayed]) expect(rowsOf(reports, name, columns)).to.deep.equal(old);
      });

    it('keeps the uptime, the registry, and the balance of events', () => {
      for (const name of ['uptime', 'registry', 'balance']) {
        expect(replayed.reports[name]?.status, name).to.equal(200);
        const old: unknown = JSON.parse(recorded.reports[name]!.text);
        expect(withFieldsOf(old, JSON.parse(replayed.reports[name]!.text)), name).to.deep.equal(old);
      }
    });

    if (isComplete)
      it('keeps the status of events, jobs, and what waits in quarantine', () => {
        const { events, lists } = recorded;
        for (const now of [started, replayed]) {
          expect(withFieldsOf(events, now.events)).to.deep.equal(events);
          expect(withFieldsOf(lists, now.lists)).to.deep.equal(lists);
        }
      });

    if (isComplete)
      it('accepts API keys and clients of before, and refuses revoked keys', async () => {
        const { apiKey, revokedKey, clientId, clientSecret } = recorded.issued!;
        const { token_url: url } = service.credentials;
        const statusWith = async (headers: Record<string, string>) =>
          (await createTestPartner(service.credentials).read(`/coffee?${day}`, headers)).status;
        expect(await statusWith({ 'x-api-key': apiKey })).to.equal(200);
        expect(await statusWith({ 'x-api-key': revokedKey })).to.equal(401);
        const response = await requestToken(
          { url: new URL(url).origin },
          { grant_type: 'client_credentials' },
          basic(clientId, clientSecret),
        );
        const { access_token: token } = (await response.json()) as TokenBody;
        expect(await statusWith({ authorization: `Bearer ${token}` })).to.equal(200);
      });

    it('has reports of times since the upgrade, and 410 for those before', async () => {
      expect(earlierStatus).to.equal(410);
      const reports = new Map<string, { readonly asOf: string; readonly text: string }>();
      for (const dataset of datasets) {
        const gone = await page(dataset, `&as_of=${beforeUpgrade}`);
        const { error } = await expectRefused(gone, 410, 'HISTORY_GONE', 'as_of');
        const sinceMs = Date.parse(/must not be before (\S+):/.exec(error.details[0]!.message)![1]!);
        expect(sinceMs).to.be.greaterThan(Date.parse(beforeUpgrade));
        const current = await waitUntil(
          async () => {
            const response = await page(dataset, '');
            return { asOf: response.headers.get('x-data-as-of')!, text: await response.text() };
          },
          ({ asOf }) => Date.parse(asOf) >= sinceMs,
        );
        reports.set(dataset, current);
      }
      const { push } = createTestPartner(service.credentials);
      const [detection] = detections;
      const corrected = { ...detection!, revision: 2, watches: [] };
      expect((await push('/audience/detections', { detections: [corrected] })).status).to.equal(202);
      expect((await push('/pop/events', { events: [play('late')] })).status).to.equal(202);
      for (const [dataset, { asOf, text }] of reports) {
        await waitUntil(
          async () => (await page(dataset, '')).text(),
          (now) => now !== text,
        );
        expect(await (await page(dataset, `&as_of=${asOf}`)).text(), dataset).to.equal(text);
      }
    });

    it('follows the guide', async () => {
      const checks = await runBlock('sh machine-upgraded');
      for (const check of ['migrations', 'schema', 'read-models', 'generations'])
        expect(checks).to.match(new RegExp(`^ok +${check} `, 'm'));
      const problems = checks.split('\n').filter((line) => /^(WARNING|FAILED)/.test(line));
      // The older archive was made with the time zone rules of ClickHouse, which only a replay replaces.
      const isOfRelease = (line: string) => !isComplete && /^WARNING +time-zones\b/.test(line);
      const lasting = problems.filter((line) => !isOfTheMoment(line) && !isOfRelease(line));
      expect(lasting, lasting.join('\n')).to.deep.equal([]);
      for (const dataset of datasets) expect(checks).to.match(new RegExp(`^${dataset} +1 +running .* false +-$`, 'm'));
      if (isComplete) expect(await runBlock('sh machine-upgrade')).to.include('no damage');
    });
  });
