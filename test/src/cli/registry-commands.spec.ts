import { expect } from 'chai';
import { blocksOf } from '../e2e/guide-blocks.fixture.ts';
import { startTestOps, type TestOps } from '../ops-api/ops.fixture.ts';
import { smallRegistry } from '../support/small-registry.ts';
import type { Popsvc } from '@popsvc/tools/rig';
import { writeTemporaryFile, popsvcFor } from './popsvc.fixture.ts';

const harbour = `networks:
  - { id: 1, name: Harbour Media, timezone: Europe/London }
sites:
  - id: 2
    name: Quayside
    network: 1
    timezone: Europe/London
    business_hours: { mon: [07:00-22:00] }
locations:
  - { id: 3, name: Ground floor, site: 2 }
devices:
  - id: 4
    name: Entrance
    location: 3
    screen_ids: ["1234567801"]
`;

describe('popsvc registry', () => {
  let system: TestOps;
  let popsvc: Popsvc;
  before(async () => {
    system = await startTestOps();
    popsvc = popsvcFor(system);
  });
  after(() => system.close());

  const apply = async (file: string, ...more: string[]) => {
    const { code, stdout, stderr } = await popsvc('registry', 'apply', file, '--json', ...more);
    expect(code, stderr).to.equal(0);
    return JSON.parse(stdout) as Record<'created' | 'changed' | 'retired' | 'unchanged', Record<string, number>>;
  };

  it('applies YAML, prints a diff, and changes nothing the second time', async () => {
    const file = await writeTemporaryFile('harbour.yaml', harbour);
    const planned = await popsvc('registry', 'apply', file, '--dry-run');
    expect(planned.stdout).to.include('+ devices 4  Entrance').and.to.include('Would be: 4 created');
    expect((await apply(file)).created).to.include({ networks: 1, sites: 1, locations: 1, devices: 1, vendors: 0 });
    const again = await apply(file);
    expect(again.created).to.include({ networks: 0, devices: 0 });
    expect(again.unchanged).to.include({ networks: 1, devices: 1 });
    const renamed = await writeTemporaryFile('renamed.yml', harbour.replace('Quayside', 'Quayside Centre'));
    const { stdout } = await popsvc('registry', 'apply', renamed);
    expect(stdout).to.include('~ sites 2\n    name: "Quayside" → "Quayside Centre"\n0 created, 1 changed');
  });

  it('prints a retired entity that becomes active again as changed', async () => {
    const active = 'vendors: [{ code: back, name: Back, network: 1 }]\n';
    const retired = active.replace(' }', ', retired: true }');
    await apply(await writeTemporaryFile('active.yaml', active));
    await apply(await writeTemporaryFile('retired.yaml', retired));
    const { stdout } = await popsvc('registry', 'apply', await writeTemporaryFile('again.yaml', active));
    expect(stdout).to.equal(
      '~ vendors back\n    retired: true → null\n0 created, 1 changed, 0 retired, 0 unchanged.\n',
    );
  });

  it('applies JSON', async () => {
    const { vendors, feeders, cameras, campaigns, creatives } = smallRegistry;
    const others = { vendors, feeders, cameras, campaigns, creatives };
    const { created } = await apply(await writeTemporaryFile('rest.json', JSON.stringify(others)));
    expect(created).to.include({ vendors: 1, feeders: 1, cameras: 1, campaigns: 1, creatives: 1 });
  });

  for (const [form, ...json] of [['yaml'], ['json', '--json']] as const)
    it(`exports ${form} that changes nothing when it is applied`, async () => {
      const { code, stdout } = await popsvc('registry', 'export', ...json);
      expect(code).to.equal(0);
      const applied = await apply(await writeTemporaryFile(`export.${form}`, stdout));
      expect(applied.unchanged).to.include({ networks: 1, devices: 1, creatives: 1 });
      for (const counts of [applied.created, applied.changed, applied.retired])
        expect(new Set(Object.values(counts))).to.deep.equal(new Set([0]));
    });

  it('reports all rejected fields with line and column', async () => {
    const wrong = harbour.replace('site: 2 }', 'site: 77 }').replace('location: 3', 'location: 78');
    const file = await writeTemporaryFile('wrong.yaml', wrong);
    const { code, stdout, stderr } = await popsvc('registry', 'apply', file);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include(`${file}:10:40: locations[0].site: there is no site 77`);
    expect(stderr).to.include(`${file}:14:15: devices[0].location: there is no location 78`);
  });

  it('reports a missing field at its parent, also in JSON', async () => {
    const file = await writeTemporaryFile(
      'missing.json',
      '{\n  "networks": [\n    { "id": 5, "timezone": "UTC" }\n  ]\n}\n',
    );
    const { code, stderr } = await popsvc('registry', 'apply', file);
    expect(code).to.equal(1);
    expect(stderr).to.include(`${file}:3:5: networks[0].name: is required`);
  });

  it('reports an empty file and an expanding alias bomb in one line', async () => {
    const empty = await popsvc('registry', 'apply', await writeTemporaryFile('empty.yaml', ''));
    expect(empty.stderr).to.match(/empty\.yaml: must be an object\n$/);
    const aliases = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
    for (const [to, from] of ['ba', 'cb', 'dc', 'ed', 'fe']) aliases.push(`${to}: &${to} [${`*${from},`.repeat(10)}]`);
    const bomb = await popsvc('registry', 'apply', await writeTemporaryFile('bomb.yaml', aliases.join('\n')));
    expect([bomb.code, bomb.stdout]).to.deep.equal([1, '']);
    expect(bomb.stderr).to.match(/^popsvc: .*bomb\.yaml cannot be read: Excessive alias count.*\n$/);
  });

  for (const name of ['cologne.yaml', 'cologne.json'])
    it(`refuses a file that is not UTF-8 with line and byte, and applies it with a byte order mark: ${name}`, async () => {
      const sites = JSON.stringify({ sites: [{ id: 2, name: '\uFFFD Köln', network: 1, timezone: 'Europe/London' }] });
      const lines = `{ "networks": [],\n${sites.slice(1)}\n`;
      // In Windows-1252, ö is one byte, and U+FFFD has no encoding.
      const [start, end] = lines.split('ö').map((part) => Buffer.from(part));
      const file = await writeTemporaryFile(name, Buffer.concat([start!, Buffer.of(0xf6), end!]));
      const { code, stdout, stderr } = await popsvc('registry', 'apply', file);
      const at = start!.length + 1;
      expect([code, stdout, stderr]).to.deep.equal([
        1,
        '',
        `popsvc: ${file}:2: byte ${at - 18} of this line (byte ${at} of the file) is not UTF-8. Save the file as UTF-8.\n`,
      ]);
      const marked = await writeTemporaryFile(name, `\uFEFF${lines}`);
      const { stdout: planned } = await popsvc('registry', 'apply', marked, '--dry-run');
      expect(planned).to.include('\uFFFD Köln');
    });

  for (const [what, name, text, place] of [
    ['invalid YAML', 'broken.yaml', 'networks:\n  - { id: 1, name: Harbour\nsites: []\n', ':3:1'],
    ['a duplicate key', 'twice.yaml', 'networks: []\nnetworks: []\n', ':2:1'],
    ['invalid JSON', 'broken.json', '{\n  "networks": [\n    { "id": 1, }\n  ]\n}\n', ':3:16'],
    ['truncated JSON', 'cut.json', '{\n  "networks": [', ':2:16'],
  ] as const)
    it(`reports a syntax error with line and column: ${what}`, async () => {
      const file = await writeTemporaryFile(name, text);
      const { code, stdout, stderr } = await popsvc('registry', 'apply', file);
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(new RegExp(`^popsvc: ${file.replaceAll('.', '\\.')}${place}: .`));
    });

  it('applies the files of the guide', async () => {
    const [registry = '', appsAndThresholds = ''] = blocksOf('docs/guides/operators/administer.md', 'yaml');
    await apply(await writeTemporaryFile('guide.yaml', registry));
    const { created } = await apply(await writeTemporaryFile('guide-more.yaml', appsAndThresholds));
    expect(created).to.include({ apps: 1, metric_definitions: 1 });
  });
});
