import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';

/** The root folder of the repository. */
export const root = resolve(import.meta.dirname, '../../..');

export const workspaces = [
  'contracts',
  'domain',
  'platform',
  'http-kit',
  'read-models',
  'ops-api',
  'command-api',
  'projectors',
  'query-api',
  'client',
  'cli',
  'console',
  'embedded',
  'tools',
  'test',
] as const;
export type Workspace = (typeof workspaces)[number];

const ignored = new Set(['node_modules', 'dist', '.git', '.data', 'bench-results', 'coverage', 'test-results']);

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    if (ignored.has(entry.name)) return [];
    return entry.isDirectory() ? filesBelow(path) : entry.isFile() ? [path] : [];
  });

/** All files except installed packages, build output and data; paths relative to the root. */
export const files: readonly string[] = filesBelow('').sort();

/** TypeScript sources without generated ones. */
export const sources: readonly string[] = files.filter((path) => /\.tsx?$/.test(path) && !path.includes('/generated/'));
export const sourcesOf = (workspace: Workspace): readonly string[] =>
  sources.filter((path) => path.startsWith(`${workspace}/src/`));

export const read = (path: string): string => readFileSync(join(root, path), 'utf8');
export const stemOf = (path: string): string => basename(path).replace(/\.tsx?$/, '');

export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export const manifest = (workspace?: Workspace): Manifest =>
  JSON.parse(read(workspace ? `${workspace}/package.json` : 'package.json')) as Manifest;

/** The anchor that GitHub makes of a heading. */
export const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '')
    .replaceAll(' ', '-');
