import { existsSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { lowerPriority } from '@popsvc/platform/runtime';

lowerPriority();
const groupFile = '/proc/self/autogroup';
const group = existsSync(groupFile) ? readFileSync(groupFile, 'utf8') : undefined;
process.stdout.write(JSON.stringify({ priority: getPriority(), group }));
