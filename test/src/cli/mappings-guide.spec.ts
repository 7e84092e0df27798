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

interface Block {
  readonly language: string;
  readonly text: string;
}

interface Section {
  readonly title: string;
  readonly blocks: readonly Block[];
}

const sectionsOf = (page: string): readonly Section[] =>
  page.split(/^#+ /m).map((section) => ({
    title: section.split('\n')[0]!,
    blocks: [...section.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language = '', text = '']) => ({
      language,
      text,
    })),
  }));

/** The guide states that the screen without offsets is in New York. */
const context: MappingContext = {
  receivedAtMs: Date.parse('2026-09-15T00:00:00Z'),
  zoneOf: (screen) => (screen === 'pump-6' ? 'America/New_York' : undefined),
};

const playOf = async (mappingPath: string, { language, text }: Block): Promise<object> => {
  const mapping = await readMapping(mappingPath);
  const format = language === 'csv' ? 'csv' : 'ndjson';
  const content = language === 'csv' ? text : JSON.stringify(JSON.parse(text));
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
  let sections: readonly Section[];
  let shipped: readonly string[];
  before(async () => {
    sections = sectionsOf(await readFile(docs('guides/mappings.md'), 'utf8'));
    shipped = await readdir(docs('mappings'));
  });

  it('explains a mapping that produces the shown play', async () => {
    const { blocks } = sections.find(({ title }) => title === 'Write a mapping')!;
    const [commands, play] = blocks;
    expect(blocks.map(({ language }) => language)).to.deep.equal(['sh', 'json']);
    const script = commands!.text.replaceAll('npx popsvc', `node ${join(root, 'cli/bin/popsvc.js')}`);
    const { stdout } = await promisify(execFile)('bash', ['-euc', script], { cwd: await temporaryFolder('mapping') });
    expect(stdout).to.include(`The first play:\n${play!.text}`);
  });

  it('shows every shipped mapping with an event and the play it produces', async () => {
    const seen: string[] = [];
    for (const { title, blocks } of sections) {
      const name = /^\[(.*)\]\(\.\.\/mappings\/\1\)$/.exec(title)?.[1];
      if (name === undefined) continue;
      const [event, play] = blocks;
      expect(await playOf(docs(`mappings/${name}`), event!), name).to.deep.equal(JSON.parse(play!.text));
      seen.push(name);
    }
    expect(seen).to.have.members(shipped);
    expect(seen).to.have.length(4);
  });

  it('documents every quarantine code', async () => {
    const page = await readFile(docs('guides/mappings.md'), 'utf8');
    for (const code of QUARANTINE_CODES) expect(page).to.include(`| \`${code}\``);
  });
});
