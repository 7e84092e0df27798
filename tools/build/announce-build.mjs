/** Says what `npm start` does before it prints anything else, if the packages are not built yet. */
import './check-node.mjs';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

if (!existsSync(join(import.meta.dirname, '../../embedded/dist/main.js')))
  process.stdout.write('Building popsvc. The first start takes about half a minute on two cores.\n');
