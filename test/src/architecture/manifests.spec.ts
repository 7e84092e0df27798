import { isBuiltin } from 'node:module';
import { expect } from 'chai';
import { manifest, read, sourcesOf, type Workspace, workspaces } from './tree.fixture.ts';

/** Statements, imports on the way, and modules that are asked for by path. */
const mentions = [
  /^(?:import|export)\b[^;]*?\bfrom '([^'.][^']*)'/gm,
  /^import '([^'.][^']*)'/gm,
  /\bimport\('([^'.][^']*)'\)/g,
  /(?<!Promise\.)\bresolve\('([^'.][^']*)'\)/g,
];

const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

const usedBy = (workspace: Workspace): ReadonlySet<string> => {
  const texts = sourcesOf(workspace).map(read);
  const found = mentions.flatMap((mention) => texts.flatMap((text) => [...text.matchAll(mention)]));
  const packages = found.map(([, specifier = '']) => specifier).filter((specifier) => !isBuiltin(specifier));
  // A service that is started as a process is named, not imported.
  const started = workspaces.filter(
    (other) => workspace === 'embedded' && texts.some((text) => text.includes(`start('${other}'`)),
  );
  return new Set([...packages.map(packageOf), ...started.map((other) => `@popsvc/${other}`)]);
};

const declaredBy = (workspace: Workspace): ReadonlySet<string> =>
  new Set(Object.keys(manifest(workspace).dependencies ?? {}));

/** Tests may use what the whole system is built and checked with. */
const shared = new Set(Object.keys(manifest().devDependencies ?? {}));

describe('manifests', () => {
  it('list every workspace, in the order of the flow', () => {
    expect(manifest().workspaces).to.deep.equal([...workspaces]);
  });

  for (const workspace of workspaces) {
    it(`${workspace} declares what it imports`, () => {
      const known = new Set([...declaredBy(workspace), ...(workspace === 'test' ? shared : [])]);
      expect([...usedBy(workspace)].filter((name) => !known.has(name))).to.deep.equal([]);
    });

    it(`${workspace} imports what it declares`, () => {
      const used = usedBy(workspace);
      expect([...declaredBy(workspace)].filter((name) => !used.has(name))).to.deep.equal([]);
    });
  }
});
