import { hash } from 'node:crypto';
import fs from 'node:fs';
import { join } from 'node:path';
import { replaceFile, syncDirectory } from '@popsvc/platform/runtime';

/** A segment to which nothing is appended any more. */
export interface SealedSegment {
  readonly base: number;
  /** Log position after the last frame. */
  readonly end: number;
  /** Log position where the next segment begins. */
  readonly next: number;
  readonly events: number;
  /** Hash of the whole file, in hexadecimal. */
  readonly sha256: string;
}

export const manifestPath = (dir: string): string => join(dir, 'sealed-segments.ndjson');

/** Includes the hash of the entry before, so a changed or removed entry makes later hashes wrong. */
const linkHash = (previous: string, { base, end, next, events, sha256 }: SealedSegment): string =>
  hash('sha256', `${previous}\n${JSON.stringify([base, end, next, events, sha256])}`);

const encodeLine = (entry: SealedSegment, link: string): string => `${JSON.stringify({ ...entry, link })}\n`;

export interface ManifestContent {
  readonly entries: readonly SealedSegment[];
  readonly link: string;
  /** Counted from 1; undefined if all lines are valid. */
  readonly damagedLine: number | undefined;
  readonly validBytes: number;
}

const parseLine = (line: string): (SealedSegment & { link: string }) | undefined => {
  try {
    return JSON.parse(line) as SealedSegment & { link: string };
  } catch {
    return undefined;
  }
};

export const readManifest = (dir: string): ManifestContent => {
  let text: string;
  try {
    text = fs.readFileSync(manifestPath(dir), 'latin1');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    text = '';
  }
  const entries: SealedSegment[] = [];
  let link = '';
  let validBytes = 0;
  const lines = text.split('\n');
  // A crash may have interrupted the write of the last line. Recovery adds its segment again.
  lines.pop();
  for (const [index, line] of lines.entries()) {
    const parsed = parseLine(line);
    if (!parsed) return { entries, link, damagedLine: index + 1, validBytes };
    const { link: stored, ...entry } = parsed;
    if (stored !== linkHash(link, entry) || `${line}\n` !== encodeLine(entry, stored))
      return { entries, link, damagedLine: index + 1, validBytes };
    entries.push(entry);
    link = stored;
    validBytes += line.length + 1;
  }
  return { entries, link, damagedLine: undefined, validBytes };
};

export class ManifestWriter {
  readonly #dir: string;
  #link: string;
  #bytes: number;

  constructor(dir: string, { link, validBytes }: ManifestContent) {
    this.#dir = dir;
    this.#link = link;
    this.#bytes = validBytes;
  }

  async append(entry: SealedSegment): Promise<void> {
    const link = linkHash(this.#link, entry);
    const line = Buffer.from(encodeLine(entry, link), 'latin1');
    const handle = await fs.promises.open(manifestPath(this.#dir), fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    try {
      await handle.truncate(this.#bytes);
      await handle.write(line, 0, line.length, this.#bytes);
      await handle.sync();
    } finally {
      await handle.close();
    }
    if (this.#bytes === 0) await syncDirectory(this.#dir);
    this.#link = link;
    this.#bytes += line.length;
  }
}

export const encodeManifest = (entries: readonly SealedSegment[]): string => {
  let link = '';
  return entries.map((entry) => encodeLine(entry, (link = linkHash(link, entry)))).join('');
};

export const replaceManifest = (dir: string, entries: readonly SealedSegment[]): Promise<void> =>
  replaceFile(manifestPath(dir), encodeManifest(entries));
