import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { SampleReport } from '@popsvc/domain/mappings';
import { expect } from 'chai';
import { startTestOps, type TestOps } from '../ops-api/ops.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import type { Popsvc } from '@popsvc/tools/rig';
import { writeTemporaryFile, popsvcFor, popsvcInProcess } from './popsvc.fixture.ts';

const shim = fileURLToPath(new URL('../../../cli/bin/popsvc.js', import.meta.url));
const data = (name: string) => fileURLToPath(new URL(`../../data/${name}`, import.meta.url));
const shipped = (name: string) => fileURLToPath(new URL(`../../../docs/mappings/${name}.yaml`, import.meta.url));

const mapping = `vendor: acme
schema_version: flat-1
fields:
  screenId: { path: screen }
  campaignId: { path: campaign }
  creativeId: { path: asset }
  playedAt: { path: start }
  duration: { path: length, unit: s }
`;
const event = { screen: 'screen-1', campaign: 'C-100', asset: 7, start: '2026-09-14T10:00:00', length: 10 };
const ndjson = (...events: readonly object[]) => events.map((each) => JSON.stringify(each)).join('\n');

const reportOf = ({ code, stdout, stderr }: Awaited<ReturnType<Popsvc>>, expected = 0): SampleReport => {
  expect(code, stderr).to.equal(expected);
  return JSON.parse(stdout) as SampleReport;
};

// cspell:ignore acma größe
describe('popsvc mappings', () => {
  let system: TestOps;
  let popsvc: Popsvc;
  before(async () => {
    system = await startTestOps();
    popsvc = popsvcFor(system);
    await system.request('POST', '/registry', smallRegistry);
  });
  after(() => system.close());

  it('applies a mapping idempotently and lists it', async () => {
    const file = await writeTemporaryFile('acme.yaml', mapping);
    expect((await popsvc('mappings', 'list')).stdout).to.equal('There are no mappings.\n');
    expect((await popsvc('mappings', 'apply', file)).stdout).to.equal('acme flat-1: version 1 is in force.\n');
    expect((await popsvc('mappings', 'apply', file)).stdout).to.include('version 1 was in force already');
    const changed = await writeTemporaryFile('acme.json', JSON.stringify({ ...(await inForce()), columns: ['a'] }));
    expect(JSON.parse((await popsvc('mappings', 'apply', changed, '--json')).stdout)).to.deep.equal({
      vendor: 'acme',
      network_id: 1,
      schema_version: 'flat-1',
      version: 2,
      changed: true,
    });
    expect((await popsvc('mappings', 'list')).stdout).to.match(/^VENDOR .*\nacme +1 +flat-1 +2 +20\d\d-/);
  });

  const inForce = async (): Promise<object> =>
    (JSON.parse((await popsvc('mappings', 'list', '--json')).stdout) as { mapping: object }[])[0]!.mapping;

  it('refuses mappings that are not UTF-8, and lists the rows of a sample that are not', async () => {
    const latin = await writeTemporaryFile('latin.yaml', Buffer.from(mapping.replace('asset', 'größe'), 'latin1'));
    const sample = await writeTemporaryFile(
      'sample.ndjson',
      Buffer.from(ndjson(event, { ...event, campaign: 'Köln' }), 'latin1'),
    );
    for (const args of [
      ['apply', latin],
      ['test', latin, '--sample', sample],
    ]) {
      const { code, stderr } = await popsvc('mappings', ...args);
      expect([code, stderr]).to.deep.equal([
        1,
        `popsvc: ${latin}:6: byte 25 of this line (byte 131 of the file) is not UTF-8. Save the file as UTF-8.\n`,
      ]);
    }
    const file = await writeTemporaryFile('utf8.yaml', `\uFEFF${mapping}`);
    const { stdout } = await popsvc('mappings', 'test', file, '--sample', sample, '--zone', 'UTC');
    expect(stdout).to.match(/row 2: .*is not UTF-8; save the file as UTF-8/);
  });

  it('reports errors with line and column, found by the service or before a request', async () => {
    const wrong = await writeTemporaryFile(
      'wrong.yaml',
      mapping.replace('path: start', 'path: "start["').replace('vendor: acme', 'vendor: acma'),
    );
    const sample = await writeTemporaryFile('wrong.ndjson', ndjson(event));
    for (const args of [
      ['apply', wrong],
      ['test', wrong, '--sample', sample],
    ]) {
      const { code, stderr } = await popsvc('mappings', ...args);
      expect(code).to.equal(1);
      expect(stderr).to.match(/wrong\.yaml:7:\d+: fields\.playedAt\.path: must be a path/);
    }
    const unknownVendor = await writeTemporaryFile('unknown-vendor.yaml', mapping.replace('acme', 'acma'));
    const { stderr } = await popsvc('mappings', 'apply', unknownVendor);
    expect(stderr).to.include('unknown-vendor.yaml:1:9: vendor: there is no vendor acma');
  });

  it('tests a sample with the time zones of the registry', async () => {
    const file = await writeTemporaryFile('zones.yaml', mapping);
    const sample = await writeTemporaryFile('zones.ndjson', ndjson(event, { ...event, screen: 'nowhere' }));
    const report = reportOf(await popsvc('mappings', 'test', file, '--sample', sample, '--json'));
    expect(report).to.deep.include({ rows: 2, plays: 1, bad: 1, bad_by_code: { no_zone: 1 } });
    expect(report.first_plays[0]).to.include({ playedAt: '2026-09-14T09:00:00.000Z', creativeId: '7' });
  });
});

describe('popsvc mappings test without a service', () => {
  const popsvc = popsvcInProcess({});

  it('counts found, missing and unparsable values by field, with examples', async () => {
    const events = [
      event,
      { ...event, asset: 8, start: '2026-09-14 10:00:10Z' },
      { ...event, asset: '', length: 'ten' },
      { ...event, start: 'noon', length: 'long' },
    ];
    const sample = await writeTemporaryFile('mixed.jsonl.gz', gzipSync(`${ndjson(...events)}\n{"cut":\n`));
    const args = [
      'mappings',
      'test',
      await writeTemporaryFile('mixed.yaml', mapping),
      '--sample',
      sample,
      '--zone',
      'Asia/Tokyo',
    ];
    const report = reportOf(await popsvc(...args, '--json'));
    expect(report).to.deep.include({
      rows: 5,
      plays: 2,
      distinct: 2,
      bad: 3,
      bad_by_code: { missing: 1, unparsable: 1, unreadable: 1 },
    });
    expect(report.bad_rows.map(({ row }) => row)).to.deep.equal([3, 4, 5]);
    expect(report.first_plays.map(({ playedAt }) => playedAt)).to.deep.equal([
      '2026-09-14T01:00:00.000Z',
      '2026-09-14T10:00:10.000Z',
    ]);
    const fields = new Map(report.fields.map((field) => [field.field, field]));
    expect(fields.get('creativeId (asset)')).to.deep.include({ found: 3, missing: 1, unparsable: 0 });
    expect(fields.get('creativeId (asset)')!.examples).to.deep.equal(['"7"', '"8"']);
    expect(fields.get('duration (length)')).to.deep.include({
      found: 2,
      missing: 0,
      unparsable: 2,
      examples: ['10000 ms'],
      problems: ['duration (length): "ten" is not a length in s', 'duration (length): "long" is not a length in s'],
    });
    expect(fields.get('playedAt (start)')!.examples).to.deep.equal([
      '2026-09-14T10:00:00.000 device time',
      '2026-09-14T10:00:10.000 UTC',
    ]);

    const { stdout } = await popsvc(...args);
    expect(stdout).to.match(/^FIELD +FOUND +MISSING +UNPARSABLE +EXAMPLES\nscreenId/);
    expect(stdout).to.include('5 rows: 2 plays (2 distinct), 3 bad (1 missing, 1 unparsable, 1 unreadable)');
    expect(stdout).to.include('  row 3: creativeId (asset) is missing; duration (length): "ten" is not a length in s');
  });

  it('suggests --zone or to register the screen, and fails if no row becomes a play', async () => {
    const file = await writeTemporaryFile('local.yaml', mapping);
    const sample = await writeTemporaryFile('local.json', JSON.stringify([event]));
    const ran = await popsvc('mappings', 'test', file, '--sample', sample, '--json');
    expect(reportOf(ran, 1)).to.deep.include({ rows: 1, plays: 0, bad_by_code: { no_zone: 1 } });
    expect(ran.stderr).to.include('with --zone, or register the screen').and.to.include('produces no play');
  });

  it('rejects an unknown zone or format, and a sample whose name shows no format', async () => {
    const file = await writeTemporaryFile('usage.yaml', mapping);
    const sample = await writeTemporaryFile('usage.txt', ndjson({ ...event, start: '2026-09-14T10:00:00Z' }));
    const test = (...args: readonly string[]) => popsvc('mappings', 'test', file, ...args);
    expect((await test()).code).to.equal(2);
    expect((await test('--sample', sample, '--zone', 'Mars')).code).to.equal(2);
    expect((await test('--sample', sample, '--format', 'xml')).code).to.equal(2);
    const unnamed = await test('--sample', sample);
    expect(unnamed.code).to.equal(1);
    expect(unnamed.stderr).to.include('--format');
    expect((await test('--sample', sample, '--format', 'ndjson')).code).to.equal(0);
    expect((await test('--sample', '/nowhere.csv')).stderr).to.include('/nowhere.csv cannot be read');
  });

  it('reads a CSV without a header by the columns of the mapping, and with a header by its names', async () => {
    const csv = ['screen-1,C-1,A-1,2026-09-14T10:00:00Z,5', 'screen-1,C-1,A-1,2026-09-14T10:00:05Z,5', 'cut,row'];
    const columns = 'columns: [screen, campaign, asset, start, length]\n';
    const bare = await popsvc(
      ...['mappings', 'test', await writeTemporaryFile('bare.yaml', mapping + columns), '--json'],
      ...['--sample', await writeTemporaryFile('bare.csv', csv.join('\n'))],
    );
    expect(reportOf(bare)).to.deep.include({ rows: 3, plays: 2, bad_by_code: { unreadable: 1 } });
    const headed = await popsvc(
      ...['mappings', 'test', await writeTemporaryFile('headed.yaml', mapping), '--json'],
      ...[
        '--sample',
        await writeTemporaryFile('headed.csv', ['screen,campaign,asset,start,length', ...csv].join('\n')),
      ],
    );
    expect(reportOf(headed)).to.deep.include({ rows: 3, plays: 2 });
  });

  it('detects the delimiter of a CSV with a header, and takes that of others from --delimiter', async () => {
    const names = ['screen', 'campaign', 'asset', 'start', 'length'];
    const values = ['screen-1', 'C-1', 'A,1', '2026-09-14T10:00:00Z', '5'];
    const headed = await writeTemporaryFile('headed.yaml', mapping);
    const bare = await writeTemporaryFile('bare.yaml', `${mapping}columns: [${names.join(', ')}]\n`);
    const test = async (file: string, lines: readonly string[], ...args: readonly string[]) => {
      const sample = await writeTemporaryFile('delimited.csv', lines.join('\n'));
      return popsvc('mappings', 'test', file, '--sample', sample, '--json', ...args);
    };
    for (const [delimiter, name] of [
      [';', ';'],
      ['\t', 'tab'],
    ] as const) {
      const [header, row] = [names.join(delimiter), values.join(delimiter)];
      for (const ran of [
        await test(headed, [header, row]),
        await test(headed, [header, row], '--delimiter', name),
        await test(bare, [row], '--delimiter', name),
      ]) {
        const report = reportOf(ran);
        expect(report).to.deep.include({ rows: 1, plays: 1 });
        expect(report.first_plays[0]).to.include({ creativeId: 'A,1' });
      }
      const undetected = await test(bare, [row]);
      expect(undetected.code, name).to.equal(1);
    }
    expect((await test(headed, ['a|b'])).stderr).to.include('separated by bars');
    expect((await test(headed, ['a,b'], '--delimiter', '|')).code).to.equal(2);
  });

  it('detects the delimiter of a CSV that can be read only once', async () => {
    const rows = Array.from({ length: 5_000 }, (_, index) => `screen-1;C-1;A-${index};2026-09-14T10:00:00Z;5`);
    const lines = ['screen;campaign;asset;start;length', ...rows].join('\n');
    const [file, sample] = [
      await writeTemporaryFile('piped.yaml', mapping),
      await writeTemporaryFile('piped.csv', lines),
    ];
    const command = `node "$0" mappings test "$1" --sample <(cat "$2") --format csv --json`;
    const { stdout } = await promisify(execFile)('bash', ['-c', command, shim, file, sample]);
    const report = JSON.parse(stdout) as SampleReport;
    expect(report).to.deep.include({ rows: 5_000, plays: 5_000 });
  });

  it('finds 18,855 distinct plays and 7 bad rows in a day of real playout data', async () => {
    const sample = data('playout-digital-2026-09-14.csv.gz');
    const report = reportOf(await popsvc('mappings', 'test', shipped('playout-digital'), '--sample', sample, '--json'));
    expect(report).to.deep.include({ rows: 18_922, plays: 18_915, distinct: 18_855, bad: 7 });
    expect(report.bad_by_code).to.deep.equal({ missing: 4, unparsable: 1, invalid: 1, unreadable: 1 });
  });

  it('finds 400 plays of pump screens with local times', async () => {
    const sample = data('pump-screens-2026-09-14.json.gz');
    const args = ['mappings', 'test', shipped('local-times-json'), '--sample', sample, '--json'];
    const report = reportOf(await popsvc(...args, '--zone', 'America/New_York'));
    expect(report).to.deep.include({ rows: 400, plays: 400, distinct: 400, bad: 0 });
    expect(report.first_plays[0]).to.deep.include({
      screenId: 'pump-6',
      siteId: 'NY-221',
      campaignId: 'IO-12',
      creativeId: '880',
      playedAt: '2026-09-14T10:40:19.000Z',
      durationMs: 15_000,
    });
  });
});
