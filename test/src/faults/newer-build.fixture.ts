import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '@popsvc/tools/rig';

const here = fileURLToPath(new URL('../../..', import.meta.url));
/** The packages of the projectors; the console is only served. */
const copied = ['contracts', 'domain', 'platform', 'read-models', 'ops-api', 'projectors'];
const linked = ['console'];

/** Copies the build with a change in one compiled file. Returns the path of the program. */
export const copyNewerBuild = async (file: string, change: (compiled: string) => string): Promise<string> => {
  const dir = await temporaryFolder('newer-build');
  for (const name of copied) {
    for (const part of ['dist', 'package.json'])
      cpSync(join(here, name, part), join(dir, name, part), { recursive: true });
    const own = join(here, name, 'node_modules');
    if (existsSync(own)) symlinkSync(own, join(dir, name, 'node_modules'));
  }
  for (const name of linked) symlinkSync(join(here, name), join(dir, name));
  const modules = join(dir, 'node_modules');
  mkdirSync(join(modules, '@popsvc'), { recursive: true });
  for (const name of readdirSync(join(here, 'node_modules')))
    if (name !== '@popsvc' && name !== '.bin') symlinkSync(join(here, 'node_modules', name), join(modules, name));
  for (const name of copied) symlinkSync(join(dir, name), join(modules, '@popsvc', name));
  const path = join(dir, file);
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  if (after === before) throw new Error(`${file} does not contain the text to change`);
  writeFileSync(path, after);
  return join(dir, 'projectors/dist/main.js');
};
