import { hash } from 'node:crypto';
import type { DetectionRecorded, HeartbeatRecorded, PopRecorded } from '@popsvc/contracts/events';
import { feederOnlineWindowMs } from '@popsvc/domain/audience';
import { canonicalContent, playTimeFlags } from '@popsvc/domain/intake';
import { readPlayReason } from '@popsvc/domain/vocabulary';
import type { Row } from '@popsvc/platform/clickhouse';
import type { LogEvent } from '@popsvc/platform/event-store';
import {
  coffeeThresholds,
  detections,
  detectionSpans,
  feederHeartbeats,
  feederPlaces,
  plays,
  playSpans,
  quarantine,
  receipts,
  screenPlaces,
} from '@popsvc/read-models/tables';
import { createRowBatches, addAtomically } from '../../engine/row-batches.ts';
import { type Origin, pushed } from '../dynamic-events/map-event.ts';
import { detectionRow, type Source, sourceOf, spanOf, spansOf, type Understand, wordCount } from '../rows/fact-rows.ts';

type FieldOf<Table extends { fields: Readonly<Record<string, unknown>> }> = Record<keyof Table['fields'], unknown>;

const hashOf = (text: string) => hash('sha256', text, 'base64url').slice(0, 22);

const payloadOf = ({ impressions, context, device }: PopRecorded): string =>
  impressions || context || device ? JSON.stringify({ impressions, context, device }) : '';

/** A receipt of a play, and where to look it up by screen and time. */
const playRows = (
  source: Source,
  play: PopRecorded,
  { schema_version, job_id, job_row }: Origin,
  understand: Understand,
): { receipt: Row; spans: readonly Row[] } => {
  const startMs = Date.parse(play.playedAt);
  const { late, clockAhead } = playTimeFlags(startMs, source.received_at);
  const receipt = {
    event_id: play.eventId,
    content_hash: hashOf(canonicalContent(play)),
    screen_id: play.screenId,
    site_ref: play.siteId ?? '',
    campaign_ref: play.campaignId,
    creative_ref: play.creativeId,
    played_at: startMs,
    duration_ms: play.durationMs,
    play_reason: understand('play_reason', readPlayReason(play.startReason)),
    late,
    clock_ahead: clockAhead,
    payload: payloadOf(play),
    schema_version,
    job_id,
    job_row,
    // Last: an object that begins with a spread costs V8 forty times as much to build.
    ...source,
  } satisfies FieldOf<typeof plays>;
  const endMs = startMs + play.durationMs;
  const spans = spansOf(startMs, endMs).map(
    (span) =>
      ({
        network_id: source.network_id,
        screen_id: play.screenId,
        span,
        vendor: source.vendor,
        event_id: play.eventId,
        played_at: startMs,
        ended_at: endMs,
      }) satisfies FieldOf<typeof playSpans>,
  );
  return { receipt, spans };
};

type BeatRow = Record<keyof (typeof feederHeartbeats)['fields'], unknown>;

/**
 * Heartbeats of feeders as rows. What a beat can change is kept small: plays that an earlier beat of the same feeder reaches
 * were computed with that one, so where this life of the fold knows one, only plays that begin later are in question. A
 * feeder that beats each minute so reaches for plays that are yet to come, and there are none.
 */
const feederBeatRows = () => {
  /** The latest instant at which each feeder is known to have been heard. */
  const latest = new Map<string, number>();
  return (event: LogEvent, { at }: HeartbeatRecorded, feederId: number): { row: BeatRow; keep: () => void } => {
    const { network_id, pos } = sourceOf(event);
    const atMs = Date.parse(at);
    const key = `${network_id}/${feederId}`;
    const knownMs = latest.get(key) ?? -Infinity;
    const isNext = atMs >= knownMs;
    const row = {
      network_id,
      span: spanOf(atMs),
      feeder_id: feederId,
      at: atMs,
      pos,
      reach_from: isNext ? Math.max(atMs, knownMs + feederOnlineWindowMs + 1) : atMs,
    };
    return {
      row,
      keep: () => {
        if (isNext) latest.set(key, atMs);
      },
    };
  };
};

/** What coffee is computed from. */
export const factTables = {
  plays,
  playSpans,
  quarantine,
  receipts,
  detections,
  detectionSpans,
  places: screenPlaces,
  feederBeats: feederHeartbeats,
  feeders: feederPlaces,
  thresholds: coffeeThresholds,
};

/** Of these, those whose rows come of one event each; places, feeders and thresholds come of all that the registry told. */
export const commutingTables = [plays, playSpans, quarantine, receipts, detections, detectionSpans, feederHeartbeats];

/** The open batch of facts, and what each event adds to it. */
export const coffeeFacts = () => {
  // A detection of a day has 288 of these: where they counted, a crowd would be cut into batches that each compute its plays anew.
  const open = createRowBatches(factTables, ['detectionSpans']);
  const words = wordCount();
  const beatRow = feederBeatRows();
  return {
    open,
    words,
    addPlay: (
      source: Source,
      play: PopRecorded,
      origin: Origin = pushed,
      to: Pick<typeof open.of, 'plays' | 'playSpans'> = open.of,
    ): void => {
      const { receipt, spans } = playRows(source, play, origin, words.understand);
      addAtomically([to.plays, to.playSpans], () => {
        to.plays.add(receipt);
        for (const span of spans) to.playSpans.add(span);
      });
    },
    addDetection: (event: LogEvent, detection: DetectionRecorded): void => {
      const row = detectionRow(event, detection, words.understand);
      const { network_id, device_id, vendor, detection_id, started_at, ended_at } = row;
      addAtomically([open.of.detections, open.of.detectionSpans], () => {
        open.of.detections.add(row);
        for (const span of spansOf(started_at, ended_at))
          open.of.detectionSpans.add({ network_id, device_id, span, vendor, detection_id, started_at, ended_at });
      });
    },
    addBeat: (event: LogEvent, beat: HeartbeatRecorded): void => {
      if (beat.feederId === undefined) return;
      const { row, keep } = beatRow(event, beat, beat.feederId);
      open.of.feederBeats.add(row);
      keep();
    },
    /** By what the open batch holds plays may have become stale: also such as others told of, or its own alone. */
    get held(): 'batch' | 'alone' | undefined {
      if (open.of.detections.rows + open.of.feederBeats.rows > 0) return 'batch';
      return open.of.plays.rows > 0 ? 'alone' : undefined;
    },
  };
};
