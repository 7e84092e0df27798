import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { createProgram } from '@popsvc/cli/program';
import { expect } from 'chai';
import { anchorOf, files, manifest, read, root } from './tree.fixture.ts';

const pages = files.filter((path) => path.endsWith('.md'));
const handwritten = pages.filter((path) => !path.startsWith('docs/reference/'));
const links = (path: string): readonly string[] =>
  [...read(path).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));

/** The anchors of the headings of a page, as GitHub makes them. */
const anchors = (path: string): ReadonlySet<string> => {
  const found = new Map<string, number>();
  for (const [, title = ''] of read(path)
    .replaceAll(/^```[^]*?^```/gm, '')
    .matchAll(/^#{1,6} (.+)$/gm)) {
    const text = title.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
    const slug = anchorOf(text);
    const before = found.get(slug) ?? 0;
    found.set(slug, before + 1);
    if (before > 0) found.set(`${slug}-${before}`, 1);
  }
  return new Set(found.keys());
};

type Program = ReturnType<typeof createProgram>;

/** Words after a command without subcommands are its arguments. */
const isCommand = (program: Program, [word, ...rest]: readonly string[]): boolean => {
  if (word === undefined || program.commands.length === 0) return true;
  const next = program.commands.find((command) => command.name() === word);
  return next !== undefined && isCommand(next, rest);
};

describe('docs', () => {
  it('include the required pages and the license', () => {
    expect(pages).to.include.members([
      'README.md',
      'CONTRIBUTING.md',
      'CHANGELOG.md',
      'docs/walkthrough.md',
      'docs/glossary.md',
    ]);
    expect(files).to.include('LICENSE');
    expect(read('LICENSE')).to.include('Apache License');
  });

  it('list every decision in the index', () => {
    const decisions = pages.filter((path) => /^docs\/decisions\/\d/.test(path));
    const listed = links('docs/decisions/README.md').map((target) => `docs/decisions/${target}`);
    expect(listed.toSorted()).to.deep.equal(decisions.toSorted());
    expect(decisions).to.have.length.greaterThan(30);
  });

  it('link to existing files and headings', () => {
    const isBroken = (path: string, target: string): boolean => {
      const [file = '', heading] = target.split('#');
      const linked = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(root, linked))) return true;
      return heading !== undefined && linked.endsWith('.md') && !anchors(linked).has(heading);
    };
    const broken = pages.flatMap((path) =>
      links(path)
        .filter((target) => isBroken(path, target))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken, broken.join()).to.deep.equal([]);
    expect(isBroken('README.md', 'docs/scaling.md#cpu')).to.equal(false);
    expect(isBroken('README.md', 'docs/scaling.md#no-such-heading')).to.equal(true);
  });

  it('the guides have sentences of at most 25 words', () => {
    /** Code, link targets and the bars of tables are left out. */
    const sentencesOf = (text: string): readonly string[] =>
      text
        .replaceAll(/^```[^]*?^```/gm, '')
        .replaceAll(/`[^`\n]*`/g, 'CODE')
        .replaceAll(/\]\([^)]*\)/g, ']')
        .split(/(?<=[.!?:]\**)\s+|\n|\|/);
    const isLong = (sentence: string) => sentence.trim().split(/\s+/).length > 25;
    const long = handwritten
      .filter((path) => path === 'README.md' || path.startsWith('docs/guides/'))
      .flatMap((path) => sentencesOf(read(path)).filter(isLong));
    expect(long, long.join('\n')).to.deep.equal([]);
    expect(sentencesOf(`${'word '.repeat(26)}end. Short.`).filter(isLong)).to.have.length(1);
  });

  it('the walkthrough links files of every package that a play passes', () => {
    const steps = links('docs/walkthrough.md')
      .map((target) => normalize(join('docs', target)))
      .filter((path) => !path.startsWith('docs/'));
    expect(steps).to.have.length.greaterThan(30);
    expect(new Set(steps.map((path) => path.split('/')[0]))).to.deep.equal(
      new Set([
        'platform',
        'http-kit',
        'command-api',
        'contracts',
        'domain',
        'projectors',
        'query-api',
        'client',
        'read-models',
      ]),
    );
  });

  it('the README of each package names the folders of its sources', () => {
    // The READMEs of the clients are for their users, and that of `test` does not exist.
    const folders = files.flatMap(
      (path) => /^(?!client|test)[\w-]+\/src\/(?!generated)[\w-]+(?=\/)/.exec(path)?.[0] ?? [],
    );
    const isNamed = (path: string): boolean => {
      const [name = '', , folder = ''] = path.split('/');
      return new RegExp(`\`(src/)?${folder}(/[^\`]*)?\``, 'u').test(read(`${name}/README.md`));
    };
    expect(new Set(folders)).to.have.property('size').greaterThan(100);
    expect([...new Set(folders)].filter((path) => !isNamed(path))).to.deep.equal([]);
  });

  it('name existing scripts of package.json', () => {
    const scripts = Object.keys(manifest().scripts ?? {});
    const named = handwritten.flatMap((path) =>
      [...read(path).matchAll(/\bnpm run ([a-z0-9:]+)/g)].map(([, name = '']) => name),
    );
    expect(named).to.include.members(['test:long', 'bench', 'simulate', 'lint', 'typecheck', 'build', 'reference']);
    expect(named.filter((name) => !scripts.includes(name))).to.deep.equal([]);
    expect(scripts).to.include.members(['start', 'test']);
  });

  it('name existing commands of the command line', () => {
    const mentions = handwritten.flatMap((path) => [
      ...read(path).matchAll(/npx popsvc ([a-z][a-z-]*(?: [a-z][a-z-]*){0,2})/g),
    ]);
    const commands = [...new Set(mentions.map(([, command = '']) => command))];
    for (const command of ['registry apply', 'api-keys create', 'projections replay', 'events parked'])
      expect(
        commands.some((named) => named.startsWith(command)),
        command,
      ).to.equal(true);
    expect(commands.filter((command) => !isCommand(createProgram({}), command.split(' ')))).to.deep.equal([]);
    expect(isCommand(createProgram({}), ['registry', 'forget'])).to.equal(false);
  });

  it('name existing specs and test folders', () => {
    const chosen = handwritten.flatMap((path) =>
      [...read(path).matchAll(/npm test -- ([a-z/-]+)/g)].map(([, name = '']) => name),
    );
    const specs = files.filter((path) => path.endsWith('.spec.ts'));
    expect(chosen.filter((name) => !specs.some((path) => path.includes(name)))).to.deep.equal([]);
    const compiled = handwritten.flatMap((path) =>
      [...read(path).matchAll(/test\/dist\/(\S+)\.js/g)].map(([, name]) => `test/src/${name}.ts`),
    );
    expect(compiled.filter((path) => !files.includes(path))).to.deep.equal([]);
  });
});
