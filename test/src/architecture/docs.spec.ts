import { existsSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { createProgram } from '@popsvc/cli/program';
import { expect } from 'chai';
import { files, manifest, read, root } from './tree.fixture.ts';

const pages = files.filter((path) => path.endsWith('.md'));
const handwritten = pages.filter((path) => !path.startsWith('docs/reference/'));
const links = (path: string): readonly string[] =>
  [...read(path).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));

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
    expect(pages.filter((path) => path.startsWith('docs/decisions/'))).to.have.length.greaterThan(6);
  });

  it('link to existing files', () => {
    const broken = pages.flatMap((path) =>
      links(path)
        .map((target) => target.replace(/#.*$/, ''))
        .filter((target) => target !== '' && !existsSync(join(root, dirname(path), target)))
        .map((target) => `${path}: ${target}`),
    );
    expect(broken).to.deep.equal([]);
  });

  it('the walkthrough links files of every package that a play passes', () => {
    const steps = links('docs/walkthrough.md').map((target) => normalize(join('docs', target)));
    expect(steps).to.have.length.greaterThan(30);
    expect(new Set(steps.map((path) => path.split('/')[0]))).to.deep.equal(
      new Set(['platform', 'command-api', 'contracts', 'domain', 'projectors', 'query-api', 'client', 'read-models']),
    );
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
