import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { QUARANTINE_CODES } from '@popsvc/contracts/vocabulary';
import { compileMapping, type MappingContext } from '@popsvc/domain/mappings';
import { readFileRows, readMapping } from '@popsvc/cli/mappings';
import { temporaryFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { root } from '../architecture/tree.fixture.ts';
import { writeTemporaryFile } from './popsvc.fixture.ts';

const docs = (path: string) => fileURLToPath(new URL(`../../../docs/${path}`, import.meta.url));

const guide = docs('guides/mappings.md');

/** The code blocks of a page in one language. */
const blocksOf = (page: string, language: string): readonly string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text);

/** The event and the play in the comment of an included mapping. */
const exampleOf = (mapping: string): readonly [event: string, play: string] => {
  const found = /^# .* For example, this .*\n((?:# {3}.*\n)+)# becomes this play:\n((?:# {3}.*\n)+)/.exec(mapping);
  const [event = '', play = ''] = (found?.slice(1) ?? []).map((text) => text.replaceAll(/^# {3}/gm, ''));
  return [event, play];
};

/** The mapping of local times states that its screen is in New York. */
const context: MappingContext = {
  receivedAtMs: Date.parse('2026-09-15T00:00:00Z'),
  zoneOf: (screen) => (screen === 'pump-6' ? 'America/New_York' : undefined),
};

const playOf = async (mappingPath: string, text: string): Promise<object> => {
  const mapping = await readMapping(mappingPath);
  const format = mapping.columns ? 'csv' : 'ndjson';
  const content = mapping.columns ? text : JSON.stringify(JSON.parse(text));
  const rows = [];
  for await (const row of readFileRows(await writeTemporaryFile(`guide.${format}`, content), format, mapping))
    rows.push(row);
  expect(rows).to.have.length(1);
  const [row] = rows;
  if (!row || 'error' in row) throw new Error(row?.error);
  const mapped = compileMapping(mapping)(row.event, context);
  if ('unfit' in mapped) throw new Error(mapped.unfit.reason);
  return mapped.play;
};

describe('docs/guides/mappings.md', () => {
  let page: string;
  before(async () => {
    page = await readFile(guide, 'utf8');
  });

  it('explains a mapping that produces the shown play', async () => {
    const [commands = ''] = blocksOf(page, 'sh');
    const [play = ''] = blocksOf(page, 'text');
    const script = commands.replaceAll('npx popsvc', `node ${join(root, 'cli/bin/popsvc.js')}`);
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: await temporaryFolder('mapping') });
    expect(JSON.parse(stdout.split('The first play:\n')[1]!)).to.deep.equal(JSON.parse(play));
  });

  it('links every included mapping, which begins with an event and the play that it produces', async () => {
    const included = await readdir(docs('mappings'));
    expect([...page.matchAll(/\| \[(.*)\]\(\.\.\/mappings\/\1\)/g)].map(([, name]) => name)).to.have.members(included);
    for (const name of included) {
      const [event, play] = exampleOf(await readFile(docs(`mappings/${name}`), 'utf8'));
      expect(await playOf(docs(`mappings/${name}`), event), name).to.deep.equal(JSON.parse(play));
    }
  });

  it('documents every quarantine code', () => {
    for (const code of QUARANTINE_CODES) expect(page).to.include(`| \`${code}\``);
  });
});
