import { hash } from 'node:crypto';
import fs from 'node:fs';
import { basename, join } from 'node:path';
import { replaceFile, syncDirectory, writeJsonFile } from '@popsvc/platform/runtime';
import { describeDamage } from '../log/damage.ts';
import { DurableEndFile, durableEndPath } from '../log/durable-end.ts';
import { encodeGap } from '../log/frames.ts';
import { manifestPath, replaceManifest, type SealedSegment } from '../log/manifest.ts';
import { checkSegment, SegmentFile } from '../log/scan.ts';
import {
  encodeSegmentHeader,
  indexPath,
  segmentHeaderBytes,
  type SegmentHeader,
  segmentPath,
} from '../log/segments.ts';
import { lockLog } from '../streams/stream-store.ts';
import { type AnalyzedSegment, analyzeLog, type LogAnalysis } from './analyze-log.ts';
import { findLostEvents, type LostPlace, type LostRevisions } from './lost-events.ts';
import { requireLog } from './verify-log.ts';

/** Has a line for each repair that removed records. The projectors read this file. */
const repairsFile = 'repairs.ndjson';

export interface RepairReport {
  readonly dir: string;
  /** Empty if the log was not damaged; the repair then changes nothing. */
  readonly damages: readonly string[];
  readonly folder: string | null;
  readonly places: readonly LostPlace[];
  readonly revisions: readonly LostRevisions[];
}

const stepBytes = 8 * 1024 * 1024;

/** The hard link keeps the original when the log's own file is replaced. An existing link is the original from an earlier step. */
const keep = (path: string, folder: string): void => {
  const kept = join(folder, basename(path));
  if (fs.existsSync(path) && !fs.existsSync(kept)) fs.linkSync(path, kept);
};

const moveAway = (path: string, folder: string): void => {
  if (fs.existsSync(path)) fs.renameSync(path, join(folder, basename(path)));
};

function* repairedContent(segment: AnalyzedSegment, header: SegmentHeader, createdMs: number): Generator<Buffer> {
  const { base, path, found, lost, storedEnd } = segment;
  yield encodeSegmentHeader(header);
  // In the newest segment, bytes after the stored end may be valid records that were not acknowledged. The next start keeps or cuts
  // them.
  const end = found?.sealed || !found ? storedEnd! : Math.max(found.fileEnd, storedEnd ?? 0);
  const file = found ? new SegmentFile(path, base) : undefined;
  try {
    let position = base + segmentHeaderBytes;
    for (const { from, to } of [...lost, { from: end, to: end }]) {
      while (position < from) {
        const bytes = file!.read(position, Math.min(stepBytes, from - position));
        yield bytes;
        position += bytes.length;
      }
      while (position < to) {
        const left = to - position;
        const length = left > 2 * stepBytes ? stepBytes : left;
        yield encodeGap(position, length, createdMs);
        position += length;
      }
    }
  } finally {
    file?.close();
  }
}

const needsRepair = ({ found, lost, base, storedEnd }: AnalyzedSegment): boolean =>
  !found ||
  lost.length > 0 ||
  found.header?.base !== base ||
  (found.sealed !== undefined && found.fileEnd > (storedEnd ?? Infinity));

/** The temporary name is the right name, according to the file's header, plus this suffix. */
const misplacedSuffix = '.misplaced';

const listMisplaced = (dir: string): readonly string[] =>
  fs.readdirSync(dir).filter((name) => name.endsWith(misplacedSuffix));

/**
 * Files get temporary names first, because two files can have each other's names. After an interruption, the next repair continues with
 * the temporary names.
 */
const renameMisplaced = (dir: string, { structure, segments }: LogAnalysis, folder: string): boolean => {
  const misplaced = structure.segments.filter(({ base, header }) => header !== undefined && header.base !== base);
  const isNamed = (base: number) => segments.some((segment) => segment.base === base);
  for (const { path, header } of misplaced) {
    const renamed = segmentPath(dir, header!.base) + misplacedSuffix;
    keep(path, folder);
    if (isNamed(header!.base) && !fs.existsSync(renamed)) fs.renameSync(path, renamed);
    else fs.rmSync(path);
  }
  const renamed = listMisplaced(dir);
  for (const name of renamed) {
    const path = join(dir, name.slice(0, -misplacedSuffix.length));
    if (fs.existsSync(path)) moveAway(join(dir, name), folder);
    else fs.renameSync(join(dir, name), path);
  }
  return misplaced.length > 0 || renamed.length > 0;
};

/** Inside the log's folder, because links and renames need one file system. */
const createFolder = (dir: string, nowMs: number): string => {
  const time = new Date(nowMs).toISOString().replaceAll(/[-:.]/g, '');
  const folder = join(dir, `removed-${time}`);
  fs.mkdirSync(folder, { mode: 0o700 });
  return folder;
};

/** A repair that is repeated after an interruption may be listed twice. */
const listRepair = async (dir: string, places: readonly LostPlace[], nowMs: number): Promise<void> => {
  if (places.length === 0) return;
  const path = join(dir, repairsFile);
  const listed = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : '';
  const repair = { repaired_at: new Date(nowMs).toISOString(), ranges: places.map(({ from, to }) => ({ from, to })) };
  // The hash keeps a reader from taking a damaged line for another repair.
  const line = JSON.stringify({ ...repair, sha256: hash('sha256', JSON.stringify(repair)) });
  await replaceFile(path, `${listed}${line}\n`);
};

/**
 * Keeps the originals, and turns lost places into gaps, so all other records keep their positions. No node may use the log. After an
 * interruption, call it again.
 */
export const repairLog = async (dir: string, nowMs: number): Promise<RepairReport> => {
  requireLog(dir);
  const lock = lockLog(dir, 'exclusive');
  try {
    let analysis = await analyzeLog(dir);
    if (analysis.damages.length === 0 && listMisplaced(dir).length === 0)
      return { dir, damages: [], folder: null, places: [], revisions: [] };
    const damages = analysis.damages.map(describeDamage);
    const folder = createFolder(dir, nowMs);
    if (renameMisplaced(dir, analysis, folder)) analysis = await analyzeLog(dir);
    if (analysis.structure.foreign.length > 0) {
      for (const { path } of analysis.structure.foreign) {
        moveAway(path, folder);
        moveAway(indexPath(path), folder);
      }
      analysis = await analyzeLog(dir);
    }
    const lostEvents = findLostEvents(analysis.segments);
    const report: RepairReport = { dir, damages, folder, ...lostEvents };
    await writeJsonFile(join(folder, 'report.json'), report);
    // Must come before `replaceDamaged`, so that every removal of records is listed even if the process ends in between.
    await listRepair(dir, report.places, nowMs);
    await replaceDamaged(dir, analysis, folder, nowMs);
    return report;
  } finally {
    lock.release();
  }
};

const replaceDamaged = async (dir: string, analysis: LogAnalysis, folder: string, nowMs: number): Promise<void> => {
  const { segments, structure } = analysis;
  keep(manifestPath(dir), folder);
  keep(durableEndPath(dir), folder);
  // The node derives this file from the log and writes it again.
  moveAway(join(dir, 'streams.table'), folder);
  const entries: SealedSegment[] = [];
  for (const [index, segment] of segments.entries()) {
    const { base, path } = segment;
    const previous = segments[index - 1];
    if (needsRepair(segment)) {
      const header = { base, previousBase: previous?.base ?? 0, previousEnd: previous ? endOf(previous) : 0 };
      keep(path, folder);
      moveAway(indexPath(path), folder);
      await replaceFile(path, repairedContent(segment, header, nowMs));
    }
    const next = segments[index + 1];
    if (next) entries.push(sealedEntry(path, base, next.base));
  }
  await replaceManifest(dir, entries);
  const newest = segments.at(-1);
  if (newest && typeof structure.durable === 'object' && structure.durable.base <= newest.base) {
    const end = endOf(newest);
    const { frames } = checkSegment(newest.path, newest.base, { upTo: end });
    fs.rmSync(durableEndPath(dir), { force: true });
    const file = new DurableEndFile(dir);
    file.write({ base: newest.base, end, frames });
    file.close();
  }
  await syncDirectory(dir);
  await syncDirectory(folder);
};

const endOf = ({ storedEnd, found }: AnalyzedSegment): number => storedEnd ?? found!.fileEnd;

const sealedEntry = (path: string, base: number, next: number): SealedSegment => {
  const { end, events, sha256 } = checkSegment(path, base);
  return { base, end, next, events, sha256 };
};
