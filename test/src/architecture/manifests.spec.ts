import { isBuiltin } from 'node:module';
import { expect } from 'chai';
import { manifest, read, sourcesOf, type Workspace, workspaces } from './tree.fixture.ts';

/** Import and export statements, dynamic imports, and resolved paths. */
const importPatterns = [
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
  const found = importPatterns.flatMap((pattern) => texts.flatMap((text) => [...text.matchAll(pattern)]));
  const packages = found.map(([, specifier = '']) => specifier).filter((specifier) => !isBuiltin(specifier));
  // A service that is started as a process is named in the text and not imported.
  const started = workspaces.filter(
    (other) => workspace === 'embedded' && texts.some((text) => text.includes(`start('${other}'`)),
  );
  return new Set([...packages.map(packageOf), ...started.map((other) => `@popsvc/${other}`)]);
};

const declaredBy = (workspace: Workspace): ReadonlySet<string> =>
  new Set(Object.keys(manifest(workspace).dependencies ?? {}));

/** Tests may also use the development dependencies of the root. */
const rootDevDependencies = new Set(Object.keys(manifest().devDependencies ?? {}));

describe('manifests', () => {
  it('the root lists every workspace in order', () => {
    expect(manifest().workspaces).to.deep.equal([...workspaces]);
  });

  for (const workspace of workspaces) {
    it(`${workspace} declares all packages that it imports`, () => {
      const declared = new Set([...declaredBy(workspace), ...(workspace === 'test' ? rootDevDependencies : [])]);
      expect([...usedBy(workspace)].filter((name) => !declared.has(name))).to.deep.equal([]);
    });

    it(`${workspace} imports all packages that it declares`, () => {
      const used = usedBy(workspace);
      expect([...declaredBy(workspace)].filter((name) => !used.has(name))).to.deep.equal([]);
    });
  }
});
