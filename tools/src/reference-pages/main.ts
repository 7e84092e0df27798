import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pages } from './pages.ts';

const root = resolve(import.meta.dirname, '../../..');

for (const [path, content] of Object.entries(pages)) {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, await content());
  process.stdout.write(`${path}\n`);
}
