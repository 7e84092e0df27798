import { setTimeout as sleep } from 'node:timers/promises';
import type { Damage } from '../log/damage.ts';
import { checkTail } from '../log/recovery.ts';
import { checkSegment, findFrameDamage, type SegmentCheck } from '../log/scan.ts';
import { segmentHeaderBytes, segmentPath } from '../log/segments.ts';
import { type FoundSegment, listBases, type LogStructure, readStructure } from '../log/structure.ts';

export interface LostRange {
  readonly from: number;
  readonly to: number;
}

export interface AnalyzedSegment {
  readonly base: number;
  readonly path: string;
  readonly found: FoundSegment | undefined;
  readonly check: SegmentCheck | undefined;
  /** Log position up to which records were stored, as far as other files or group markers show. */
  readonly storedEnd: number | undefined;
  /** Ranges of log positions before `storedEnd` that contain no valid record. */
  readonly lost: readonly LostRange[];
}

export interface LogAnalysis {
  readonly structure: LogStructure;
  readonly segments: readonly AnalyzedSegment[];
  /** First those of `structure`, then the damaged records in the order of their positions. */
  readonly damages: readonly Damage[];
  /** Size of the incomplete append at the end of the log. The next start removes it. */
  readonly tornBytes: number;
}

const findLostRanges = ({ damaged, end }: SegmentCheck, storedEnd: number): readonly LostRange[] => {
  if (storedEnd <= end) return damaged;
  const last = damaged.at(-1);
  return last?.to === end
    ? [...damaged.slice(0, -1), { from: last.from, to: storedEnd }]
    : [...damaged, { from: end, to: storedEnd }];
};

/** A running node overwrites the file with the durable end, so the first read can see an incomplete write. */
const readStructureTwice = async (dir: string): Promise<LogStructure> => {
  const first = readStructure(dir);
  if (first.durable !== 'damaged' && first.damages.length === 0) return first;
  await sleep(50);
  return readStructure(dir);
};

export const analyzeLog = async (dir: string): Promise<LogAnalysis> => {
  const structure = await readStructureTwice(dir);
  const durable = typeof structure.durable === 'object' ? structure.durable : undefined;
  const bases = listBases(structure);
  const found = new Map(structure.segments.map((segment) => [segment.base, segment]));
  const damages = [...structure.damages];
  const segments: AnalyzedSegment[] = [];
  let tornBytes = 0;
  for (const [index, base] of bases.entries()) {
    const path = segmentPath(dir, base);
    const segment = found.get(base);
    const next = found.get(bases[index + 1] ?? -1);
    const sealed = segment?.sealed ?? structure.manifest.entries.find((entry) => entry.base === base);
    const stated = next?.header?.previousBase === base ? next.header.previousEnd : undefined;
    const isNewest = sealed === undefined && stated === undefined;
    if (!segment) {
      const storedEnd = sealed?.end ?? stated ?? (durable?.base === base ? durable.end : bases[index + 1]);
      const lost = storedEnd === undefined ? [] : [{ from: base + segmentHeaderBytes, to: storedEnd }];
      segments.push({ base, path, found: undefined, check: undefined, storedEnd, lost });
      continue;
    }
    const tail = isNewest ? checkTail(segment, durable) : undefined;
    const storedEnd = sealed?.end ?? stated ?? tail!.durableEnd;
    const check = checkSegment(path, base, sealed ? {} : { upTo: storedEnd });
    const frameDamages = findFrameDamage(path, base, check, sealed);
    damages.push(...(tail && frameDamages.length === 0 ? tail.damages : frameDamages));
    // In a file that is longer than `storedEnd`, a record can cross `storedEnd`. This check counts such a record as lost.
    const stored = check.end > storedEnd ? checkSegment(path, base, { upTo: storedEnd }) : check;
    if (tail) tornBytes = Math.max(0, segment.fileEnd - Math.max(tail.end, tail.durableEnd));
    segments.push({
      base,
      path,
      found: segment,
      check,
      storedEnd,
      lost: findLostRanges(stored, storedEnd),
    });
  }
  return { structure, segments, damages: countEventsAfter(damages, segments), tornBytes };
};

const countEventsAfter = (damages: readonly Damage[], segments: readonly AnalyzedSegment[]): Damage[] =>
  damages.map((damage) => {
    if (damage.position === undefined || damage.eventsAfter !== undefined) return damage;
    const own = segments.find(({ path }) => path === damage.file);
    const within = own?.found ? countEventsBehind(own, damage.position) : 0;
    const later = segments.filter(({ base }) => base > (own?.base ?? damage.position!));
    return { ...damage, eventsAfter: later.reduce((sum, { check }) => sum + (check?.events ?? 0), within) };
  });

const countEventsBehind = ({ path, base, storedEnd, check }: AnalyzedSegment, position: number): number => {
  if (!check || position >= check.end) return 0;
  const before = checkSegment(path, base, { upTo: Math.min(position, storedEnd ?? position) });
  return check.events - before.events;
};
