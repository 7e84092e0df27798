import { readFileSync } from 'node:fs';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** Version of this popsvc release, the same in every package.json. */
export const popsvcVersion: string = manifest.version;
