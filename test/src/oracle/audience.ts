import { defaultThresholds, type Thresholds } from '@popsvc/contracts/metrics';
import type { PopType, Population } from '@popsvc/contracts/vocabulary';
import { feederOnlineWindowMs, mergeWatches } from '@popsvc/domain/audience';
import type { Position, ThresholdVersion } from '@popsvc/domain/registry';
import { cutSpans, lengthOf, type Span } from '@popsvc/domain/spans';

/**
 * Reference model of attribution. Production computes the same in SQL (projectors/src/projections/coffee); the differential tests compare
 * both.
 */

/** A person (or vehicle) in front of a device and the periods in which the person watched; milliseconds since 1970. */
export interface Detection extends Span {
  readonly watches: readonly Span[];
  readonly population: Population;
}

export interface Play {
  readonly startMs: number;
  readonly durationMs: number;
  /** Whether a feeder of the device was online during the play: decides between NONE and UNMEASURED. */
  readonly feederOnline?: boolean;
}

export interface MetricFlags {
  readonly isImpression: boolean;
  readonly isWatched: boolean;
  readonly isGlance: boolean;
  readonly isView: boolean;
  readonly isViewThrough: boolean;
}

const noFlags: MetricFlags = {
  isImpression: false,
  isWatched: false,
  isGlance: false,
  isView: false,
  isViewThrough: false,
};

/** Measurements of one detection during one play; milliseconds. */
interface Measurements {
  readonly playMs: number;
  readonly presenceMs: number;
  readonly watchMs: number;
}

/** The flags nest: view-through ⇒ view ⇒ glance ⇒ watched and impression. */
const metricFlags = ({ playMs, presenceMs, watchMs }: Measurements, thresholds: Thresholds): MetricFlags => {
  const isGlance = watchMs >= thresholds.glance_ms;
  const isView = watchMs >= thresholds.view_ms;
  const sharePermille = Math.round(thresholds.view_through_share * 1_000);
  return {
    isImpression: presenceMs >= thresholds.impression_ms || isGlance,
    isWatched: watchMs > 0,
    isGlance,
    isView,
    isViewThrough:
      isView && presenceMs >= playMs - thresholds.view_through_slack_ms && watchMs * 1_000 >= sharePermille * playMs,
  };
};

/** round(100 × part / whole) in integers, half up; 0 when `whole` is 0. */
const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.floor((200 * part + whole) / (2 * whole));

/** The audience part of one coffee row; a row without a detection reports a play without a known audience. */
export interface CoffeeAudience<Seen extends Detection = Detection> extends MetricFlags {
  readonly popType: PopType;
  readonly detection: Seen | undefined;
  readonly presenceMs: number;
  readonly watchMs: number;
  /** Watch periods, merged and cut to the play. */
  readonly watches: readonly Span[];
  /** 0 to 100. */
  readonly attention: number;
}

const withoutAudience = (popType: PopType): CoffeeAudience<never> => ({
  ...noFlags,
  popType,
  detection: undefined,
  presenceMs: 0,
  watchMs: 0,
  watches: [],
  attention: 0,
});

/**
 * Attributes an audience to a play: one entry per detection that was present for at least
 * `min_presence_ms`, else exactly one entry without a detection. Takes the current versions of the detections of the
 * play's device, in any order.
 */
export const attributeAudience = <Seen extends Detection>(
  { startMs, durationMs, feederOnline = false }: Play,
  detections: readonly Seen[],
  thresholds: Thresholds,
): CoffeeAudience<Seen>[] => {
  const frame = { from: startMs, to: startMs + durationMs };
  const seen = detections.flatMap((detection): CoffeeAudience<Seen>[] => {
    const presenceMs = lengthOf(cutSpans([detection], frame));
    if (presenceMs < thresholds.min_presence_ms) return [];
    const watches = cutSpans(mergeWatches(detection.watches, thresholds.merge_gap_ms), frame);
    const watchMs = lengthOf(watches);
    const flags = metricFlags({ playMs: durationMs, presenceMs, watchMs }, thresholds);
    const attention = percent(watchMs, presenceMs);
    return [{ ...flags, popType: detection.population, detection, presenceMs, watchMs, watches, attention }];
  });
  return seen.length > 0 ? seen : [withoutAudience(feederOnline ? 'NONE' : 'UNMEASURED')];
};

/**
 * Returns whether a feeder was online during a play: one of the given heartbeats lies in
 * [start − 300 s, end), whenever it was received. Takes the heartbeats of the feeders that belonged to the device at the
 * start of the play.
 */
export const wasFeederOnline = (
  { startMs, durationMs }: Pick<Play, 'startMs' | 'durationMs'>,
  heartbeatsMs: Iterable<number>,
): boolean => {
  for (const atMs of heartbeatsMs)
    if (atMs >= startMs - feederOnlineWindowMs && atMs < startMs + durationMs) return true;
  return false;
};

/** What watcher-summary reports about a whole detection; milliseconds, attention 0 to 100. */
export interface DetectionSummary {
  readonly isWatcher: boolean;
  readonly durationMs: number;
  readonly watchMs: number;
  readonly attention: number;
}

export const summarizeDetection = (
  detection: Span & { readonly watches: readonly Span[] },
  thresholds: Thresholds,
): DetectionSummary => {
  const durationMs = detection.to - detection.from;
  const watchMs = lengthOf(mergeWatches(detection.watches, thresholds.merge_gap_ms));
  return { isWatcher: watchMs > 0, durationMs, watchMs, attention: percent(watchMs, durationMs) };
};

/** The thresholds in force at an instant, from versions sorted by their beginning. */
export const thresholdsAt = (versions: readonly ThresholdVersion[], instantMs: number): Thresholds =>
  versions.findLast(({ validFromMs }, index) => index === 0 || validFromMs <= instantMs)?.thresholds ??
  defaultThresholds;

/** One version of a detection; the identity is (network, vendor, detectionId). */
export interface DetectionVersion {
  readonly network: number;
  readonly vendor: string;
  readonly detectionId: string;
  readonly revision: number;
  readonly position: Position;
}

/** One receipt of a play; the identity is (network, vendor, eventId). */
export interface PlayReceipt {
  readonly network: number;
  readonly vendor: string;
  readonly eventId: string;
  readonly position: Position;
}

/** Returns the current one of two versions of a detection: the higher revision, then the later in the log. */
export const newerDetection = <Version extends Pick<DetectionVersion, 'revision' | 'position'>>(
  one: Version,
  other: Version,
): Version => {
  if (one.revision !== other.revision) return one.revision > other.revision ? one : other;
  return one.position > other.position ? one : other;
};

const reduceByIdentity = <Item>(
  all: Iterable<Item>,
  identity: (item: Item) => string,
  choose: (a: Item, b: Item) => Item,
): Item[] => {
  const chosen = new Map<string, Item>();
  for (const item of all) {
    const key = identity(item);
    const rival = chosen.get(key);
    chosen.set(key, rival === undefined ? item : choose(rival, item));
  }
  return [...chosen.values()];
};

/** Returns the current version of each detection. */
export const currentDetections = <Version extends DetectionVersion>(versions: Iterable<Version>): Version[] =>
  reduceByIdentity(
    versions,
    ({ network, vendor, detectionId }) => `${network}/${vendor}/${detectionId}`,
    newerDetection,
  );

/** Returns the receipt that counts for each play: the first in the log. */
export const firstReceipts = <Receipt extends PlayReceipt>(receipts: Iterable<Receipt>): Receipt[] =>
  reduceByIdentity(
    receipts,
    ({ network, vendor, eventId }) => `${network}/${vendor}/${eventId}`,
    (one, other) => (other.position < one.position ? other : one),
  );
