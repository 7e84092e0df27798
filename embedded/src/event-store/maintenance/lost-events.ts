import {
  frameLength,
  noEventFlag,
  readClaimedLength,
  readCreatedMs,
  readFlags,
  readRevision,
  readStreamNo,
  smallestFrame,
  tombstoneFlag,
} from '../log/frames.ts';
import { isEvent, scanFrames, SegmentFile } from '../log/scan.ts';
import { segmentHeaderBytes } from '../log/segments.ts';
import { readStreamName } from '../streams/event-codec.ts';
import type { AnalyzedSegment, LostRange } from './analyze-log.ts';

export interface LostRevisions {
  readonly stream: string;
  readonly from: number;
  readonly to: number;
  /** False if the numbers come from damaged bytes: they may be wrong, or more revisions may be lost. */
  readonly isCertain: boolean;
}

export interface LostPlace {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  /** Time of the last whole event before the place, in ISO 8601. */
  readonly after: string | null;
  /** Time of the first whole event after the place, in ISO 8601. */
  readonly before: string | null;
}

interface KnownStream {
  readonly name: string;
  last: number;
  /** Number of lost places before the stream's last event. */
  places: number;
}

const toIso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString());

const guessEvents = (bytes: Buffer, streams: ReadonlyMap<number, KnownStream>): [KnownStream, number][] => {
  const guesses: [KnownStream, number][] = [];
  for (let at = 0; at + smallestFrame <= bytes.length;) {
    const length = readClaimedLength(bytes, at);
    const stream = streams.get(readStreamNo(bytes, at));
    const flags = readFlags(bytes, at);
    if (stream && !(flags & (noEventFlag | tombstoneFlag))) guesses.push([stream, readRevision(bytes, at)]);
    if (length < smallestFrame || at + length > bytes.length) break;
    at += frameLength(bytes, at);
  }
  return guesses;
};

/**
 * Revisions are certainly lost if those before and after a place are not consecutive. At the end of a stream, lost revisions are only
 * guessed.
 */
export const findLostEvents = (
  segments: readonly AnalyzedSegment[],
): { readonly places: readonly LostPlace[]; readonly revisions: readonly LostRevisions[] } => {
  const streams = new Map<number, KnownStream>();
  const places: { file: string; from: number; to: number; after: string | null; before: string | null }[] = [];
  const revisions: LostRevisions[] = [];
  const guesses: [KnownStream, number][] = [];
  let createdMs: number | undefined;
  for (const { path: file, base, found, lost, storedEnd } of segments) {
    const addPlace = ({ from, to }: LostRange): void =>
      void places.push({ file, from, to, after: toIso(createdMs), before: null });
    if (!found) {
      lost.forEach(addPlace);
      continue;
    }
    const reader = new SegmentFile(file, base);
    try {
      let added = 0;
      for (const scanned of scanFrames(
        reader,
        base + segmentHeaderBytes,
        Math.min(found.fileEnd, storedEnd ?? Infinity),
      )) {
        if (scanned.is === 'damaged') {
          const range = lost[added]!;
          added += 1;
          addPlace(range);
          const bytes = reader.read(scanned.from, Math.min(scanned.to - scanned.from, 16 * 1024 * 1024));
          guesses.push(...guessEvents(bytes, streams));
          continue;
        }
        const { frame } = scanned;
        if (!isEvent(frame)) continue;
        createdMs = readCreatedMs(frame.bytes, frame.at);
        for (const place of places) place.before ??= toIso(createdMs);
        if (readFlags(frame.bytes, frame.at) & tombstoneFlag) continue;
        const streamNo = readStreamNo(frame.bytes, frame.at);
        const revision = readRevision(frame.bytes, frame.at);
        let stream = streams.get(streamNo);
        if (!stream) streams.set(streamNo, (stream = { name: readStreamName(frame), last: -1, places: 0 }));
        if (revision > stream.last + 1 && places.length > stream.places)
          revisions.push({ stream: stream.name, from: stream.last + 1, to: revision - 1, isCertain: true });
        stream.last = Math.max(stream.last, revision);
        stream.places = places.length;
      }
      lost.slice(added).forEach(addPlace);
    } finally {
      reader.close();
    }
  }
  const uncertain = new Map<KnownStream, number>();
  for (const [stream, revision] of guesses)
    if (revision > stream.last && revision <= stream.last + 1_000_000 && Number.isInteger(revision))
      uncertain.set(stream, Math.max(revision, uncertain.get(stream) ?? 0));
  for (const [stream, to] of uncertain)
    revisions.push({ stream: stream.name, from: stream.last + 1, to, isCertain: false });
  return { places, revisions };
};
