import fs from 'node:fs';
import type { Damage } from './damage.ts';
import { type DurableEnd, durableEndPath, readDurableEnd } from './durable-end.ts';
import { type ManifestContent, manifestPath, readManifest, type SealedSegment } from './manifest.ts';
import { SegmentFile } from './scan.ts';
import { listSegmentBases, segmentHeaderBytes, type SegmentHeader, segmentPath } from './segments.ts';

export interface FoundSegment {
  readonly path: string;
  /** Base according to the file's name. */
  readonly base: number;
  readonly fileEnd: number;
  readonly header: SegmentHeader | undefined;
  readonly sealed: SealedSegment | undefined;
}

export interface LogStructure {
  /** All segments except one whose creation was interrupted. */
  readonly segments: readonly FoundSegment[];
  /** Path of the newest segment, if its header is not valid, no bytes follow the header, and no other file names the segment. */
  readonly interrupted: string | undefined;
  readonly manifest: ManifestContent;
  readonly durable: DurableEnd | 'missing' | 'damaged';
  /** The items of `segments` that belong to another log, or to an older state of this log. */
  readonly foreign: readonly FoundSegment[];
  /** Contradictions between file names, segment headers, manifest and durable end. The frames are not checked. */
  readonly damages: readonly Damage[];
}

const inspectSegment = (dir: string, base: number, sealed: SealedSegment | undefined): FoundSegment => {
  const path = segmentPath(dir, base);
  const file = new SegmentFile(path, base);
  try {
    const { header, end: fileEnd } = file;
    return { path, base, fileEnd, header, sealed };
  } finally {
    file.close();
  }
};

const expectedEndOf = (segment: FoundSegment, next: FoundSegment | undefined, durable: LogStructure['durable']) => {
  if (segment.sealed) return segment.sealed.end;
  if (next?.header?.previousBase === segment.base) return next.header.previousEnd;
  return typeof durable === 'object' && durable.base === segment.base ? durable.end : undefined;
};

function* findSegmentDamage(
  segment: FoundSegment,
  next: FoundSegment | undefined,
  durable: LogStructure['durable'],
): Generator<Damage> {
  const { path: file, base, fileEnd, header, sealed } = segment;
  if (!header) yield { file, position: base, what: 'its header is damaged' };
  else if (header.base !== base)
    yield { file, position: base, what: `it is the segment that begins at position ${header.base}` };
  const end = expectedEndOf(segment, next, durable);
  if (end !== undefined && fileEnd < end)
    yield {
      file,
      position: fileEnd,
      what: `the file ends at position ${fileEnd}, but records were stored up to ${end}`,
    };
  if (sealed && fileEnd > end!)
    yield { file, position: end!, what: `the file ends at position ${fileEnd}, but the segment was sealed at ${end!}` };
}

type NamingFiles = Pick<LogStructure, 'segments' | 'manifest' | 'durable'>;

/** Includes segments that only the manifest, the durable end or the header of another segment names. */
export const listBases = ({ segments, manifest, durable }: NamingFiles): number[] => {
  const bases = new Set<number>(segments.map(({ base }) => base));
  for (const { base, next } of manifest.entries) bases.add(base).add(next);
  for (const { base, header } of segments) if (header?.base === base && base > 0) bases.add(header.previousBase);
  if (typeof durable === 'object') bases.add(durable.base);
  if (bases.size > 0) bases.add(0);
  return [...bases].sort((a, b) => a - b);
};

function* findMissingSegments(dir: string, files: NamingFiles): Generator<Damage> {
  const known = new Set(files.segments.map(({ base }) => base));
  for (const base of listBases(files))
    if (!known.has(base)) yield { file: segmentPath(dir, base), position: base, what: 'the segment is missing' };
}

/**
 * The header of a segment names the previous segment. Segments between the two are foreign. But if the manifest or the durable end names
 * one of them, the segment with that header is foreign.
 */
const findForeignSegments = ({ segments, manifest, durable }: NamingFiles): FoundSegment[] => {
  const named = new Set(manifest.entries.flatMap(({ base, next }) => [base, next]));
  if (typeof durable === 'object') named.add(durable.base);
  const own: FoundSegment[] = [];
  const foreign: FoundSegment[] = [];
  for (const segment of segments) {
    const { base, header } = segment;
    const skipped = header?.base === base ? own.filter((before) => before.base > header.previousBase) : [];
    if (skipped.some((before) => named.has(before.base))) {
      foreign.push(segment);
      continue;
    }
    own.splice(own.length - skipped.length);
    foreign.push(...skipped);
    own.push(segment);
  }
  return foreign;
};

export const readStructure = (dir: string): LogStructure => {
  const manifest = readManifest(dir);
  const durable = readDurableEnd(dir);
  const sealed = new Map(manifest.entries.map((entry) => [entry.base, entry]));
  const found = listSegmentBases(dir).map((base) => inspectSegment(dir, base, sealed.get(base)));
  const newest = found.at(-1);
  const isNamed = (base: number) =>
    sealed.has(base) || (typeof durable === 'object' && durable.base >= base) || manifest.entries.at(-1)?.next === base;
  const isInterrupted =
    newest !== undefined &&
    !newest.header &&
    newest.fileEnd - newest.base <= segmentHeaderBytes &&
    !isNamed(newest.base);
  const segments = isInterrupted ? found.slice(0, -1) : found;
  const foreign = findForeignSegments({ segments, manifest, durable });
  const damages: Damage[] = [
    ...(manifest.damagedLine === undefined
      ? []
      : [{ file: manifestPath(dir), what: `line ${manifest.damagedLine} is not what was written` }]),
    ...findMissingSegments(dir, { segments, manifest, durable }),
    ...foreign.map(({ path, base }) => ({
      file: path,
      position: base,
      what: 'the segment does not belong to this log',
    })),
    ...segments.flatMap((segment, index) => [...findSegmentDamage(segment, segments[index + 1], durable)]),
  ];
  return { segments, interrupted: isInterrupted ? newest.path : undefined, manifest, durable, foreign, damages };
};

/** Throws if the directory does not exist. */
export const isEmptyLog = (dir: string): boolean =>
  listSegmentBases(dir).length === 0 && !fs.existsSync(manifestPath(dir)) && !fs.existsSync(durableEndPath(dir));
