import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Both relative to the package's folder. */
interface Link {
  readonly source: string;
  readonly target: string;
}

/**
 * npm packages carry no symbolic links. The package with the programs lists those its libraries need and makes them
 * when it is installed, which `npm ci --ignore-scripts` leaves out.
 */
export const recreateLinks = (packageDir: string): void => {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as readonly Link[])
    if (!existsSync(join(packageDir, target))) symlinkSync(relative(dirname(target), source), join(packageDir, target));
};
