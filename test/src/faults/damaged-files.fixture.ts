import {
  copyFileSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import type { Random } from '@popsvc/tools/rig';

/** What a file below DATA_DIR holds, by its path relative to DATA_DIR. The first pattern that matches counts. */
const fileKinds = [
  ['event log', /^event-store\/\d{16}\.log$/],
  ['event store, other', /^event-store\//],
  ['ClickHouse part', /^clickhouse\/data\/store\/.*\/\w+_\d+_\d+_\d+(_\d+)?\//],
  ['ClickHouse definition', /^clickhouse\/data\/.*\.sql$/],
  ['ClickHouse, other', /^clickhouse\//],
  // PostgreSQL gives object ids from 16384 on to the service's own tables and indexes.
  ['PostgreSQL table', /^postgres\/cluster\/base\/\d+\/(?:1638[4-9]|1639\d|16[4-9]\d\d|1[7-9]\d{3}|[2-9]\d{4,})/],
  ['PostgreSQL catalog', /^postgres\/cluster\/base\//],
  ['PostgreSQL WAL', /^postgres\/cluster\/pg_wal\//],
  ['PostgreSQL control', /^postgres\/cluster\/(global|pg_xact|pg_multi\w+)\//],
  ['PostgreSQL, other', /^postgres\//],
  ['upload', /^uploads\//],
  ['settings and secrets', /./],
] as const satisfies readonly (readonly [string, RegExp])[];

export type FileKind = (typeof fileKinds)[number][0];

const kindOf = (path: string): FileKind => fileKinds.find(([, pattern]) => pattern.test(path))![0];

/** Returns the files below a folder by kind, with paths relative to it, in alphabetical order. */
const listFilesByKind = (dir: string): ReadonlyMap<FileKind, readonly string[]> => {
  const found = new Map<FileKind, string[]>();
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const path of entries.map((entry) => relative(dir, join(entry.parentPath, entry.name))).sort()) {
    const kind = kindOf(path);
    found.set(kind, [...(found.get(kind) ?? []), path]);
  }
  return found;
};

const blockBytes = 4_096;

const overwrite = (path: string, at: number, bytes: Uint8Array): void => {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
  closeSync(file);
};

const readBlock = (path: string, at: number): Buffer => readFileSync(path).subarray(at, at + blockBytes);

/**
 * The kinds of damage. Each function damages a file of at least one byte and returns a description. `other` is another file of the same
 * kind, or the same file if there is none.
 */
const damages = {
  flip(path: string, random: Random): string {
    const at = random.below(statSync(path).size);
    const bit = random.below(8);
    const byte = readFileSync(path)[at]!;
    overwrite(path, at, Uint8Array.of(byte ^ (1 << bit)));
    return `bit ${bit} of byte ${at} flipped`;
  },
  cut(path: string, random: Random): string {
    const { size } = statSync(path);
    const left = random.below(size);
    truncateSync(path, left);
    return `cut from ${size} to ${left} bytes`;
  },
  remove(path: string): string {
    rmSync(path);
    return 'removed';
  },
  swap(path: string, _random: Random, other: string): string {
    const kept = `${path}.swapped`;
    copyFileSync(path, kept);
    copyFileSync(other, path);
    copyFileSync(kept, other);
    rmSync(kept);
    return 'exchanged with another file of its kind';
  },
  zero(path: string, random: Random): string {
    const at = random.below(statSync(path).size);
    const length = readBlock(path, at).length;
    overwrite(path, at, Buffer.alloc(length));
    return `${length} bytes from ${at} zeroed`;
  },
  duplicate(path: string, random: Random): string {
    const { size } = statSync(path);
    const from = random.below(size);
    const block = readBlock(path, from);
    overwrite(path, size, block);
    return `${block.length} bytes from ${from} written again at the end`;
  },
} as const;

export type DamageKind = keyof typeof damages;

export interface Damage {
  readonly file: FileKind;
  readonly kind: DamageKind;
  /** Relative to the damaged folder. */
  readonly path: string;
  /** The file that `swap` exchanged with `path`. */
  readonly other?: string;
  readonly description: string;
}

/** Damages one file below a folder. The kinds of file and of damage are equally likely; `only` restricts the kinds of file. */
export const damageOneFile = (dir: string, random: Random, only?: readonly FileKind[]): Damage => {
  const files = [...listFilesByKind(dir)]
    .map(([kind, paths]) => [kind, paths.filter((path) => statSync(join(dir, path)).size > 0)] as const)
    .filter(([kind, paths]) => paths.length > 0 && (only?.includes(kind) ?? true));
  const [file, paths] = random.pick(files);
  const path = random.pick(paths);
  const other = random.pick(paths);
  const possible = (Object.keys(damages) as DamageKind[]).filter((kind) => kind !== 'swap' || other !== path);
  const kind = random.pick(possible);
  const description = damages[kind](join(dir, path), random, join(dir, other));
  return { file, kind, path, ...(kind === 'swap' && { other }), description };
};
