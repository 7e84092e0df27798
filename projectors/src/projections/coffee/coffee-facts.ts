import { hash } from 'node:crypto';
import type { RecordedDetection, RecordedHeartbeat, RecordedPlay } from '@popsvc/contracts/events';
import { feederOnlineWindowMs } from '@popsvc/domain/audience';
import { canonicalContent, playTimeFlags } from '@popsvc/domain/intake';
import { readPlayReason } from '@popsvc/domain/vocabulary';
import type { Row } from '@popsvc/platform/clickhouse';
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
import type { LogItem } from '../../engine/log-items.ts';
import { addAtomically, createRowBatches } from '../../engine/row-batches.ts';
import { canonicalOrigin, type PlayOrigin } from '../dynamic-events/map-event.ts';
import {
  createUnmappedWordCounter,
  detectionRow,
  type ReadWord,
  type RowOf,
  type Source,
  sourceOf,
  spanOf,
  spansOf,
} from '../rows/fact-rows.ts';

export const factTables = {
  plays,
  playSpans,
  quarantine,
  receipts,
  detections,
  detectionSpans,
  places: screenPlaces,
  feederHeartbeats,
  feeders: feederPlaces,
  thresholds: coffeeThresholds,
};

const contentHash = (text: string) => hash('sha256', text, 'binary');

const payloadOf = ({ impressions, context, device }: RecordedPlay): string =>
  impressions || context || device ? JSON.stringify({ impressions, context, device }) : '';

const playRows = (
  source: Source,
  play: RecordedPlay,
  { schema_version, job_id, job_row, local_zone, zone_version }: PlayOrigin,
  readWord: ReadWord,
): { receipt: Row; spans: readonly Row[] } => {
  const startMs = Date.parse(play.playedAt);
  const { late, clockAhead } = playTimeFlags(startMs, source.received_at);
  const receipt = {
    event_id: play.eventId,
    content_hash: contentHash(canonicalContent(play)),
    screen_id: play.screenId,
    site_ref: play.siteId ?? '',
    campaign_ref: play.campaignId,
    creative_ref: play.creativeId,
    played_at: startMs,
    duration_ms: play.durationMs,
    play_reason: readWord('play_reason', readPlayReason(play.startReason)),
    late,
    clock_ahead: clockAhead,
    payload: payloadOf(play),
    schema_version,
    job_id,
    job_row,
    local_zone,
    zone_version,
    // The spread is last, because V8 is many times slower for an object literal that begins with a spread.
    ...source,
  } satisfies RowOf<typeof plays>;
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
        recorded_at: source.recorded_at,
      }) satisfies RowOf<typeof playSpans>,
  );
  return { receipt, spans };
};

/** Without the feeder's previous heartbeat, which may belong to an earlier run, more plays than necessary are computed again. */
const createFeederHeartbeatRows = () => {
  const latestMs = new Map<string, number>();
  return (
    item: LogItem,
    { at }: RecordedHeartbeat,
    feederId: number,
  ): { row: RowOf<typeof feederHeartbeats>; remember: () => void } => {
    const { network_id, pos } = sourceOf(item);
    const atMs = Date.parse(at);
    const key = `${network_id}/${feederId}`;
    const knownMs = latestMs.get(key) ?? -Infinity;
    const isLatest = atMs >= knownMs;
    const row = {
      network_id,
      span: spanOf(atMs),
      feeder_id: feederId,
      at: atMs,
      pos,
      reach_from: isLatest ? Math.max(atMs, knownMs + feederOnlineWindowMs + 1) : atMs,
    };
    return {
      row,
      remember: () => {
        if (isLatest) latestMs.set(key, atMs);
      },
    };
  };
};

export const createCoffeeFacts = () => {
  // A detection of a whole day has about 288 spans, which would fill batches with few detections. Small batches are expensive.
  const open = createRowBatches(factTables, ['detectionSpans']);
  const unmappedWords = createUnmappedWordCounter();
  const { readWord } = unmappedWords;
  const heartbeatRow = createFeederHeartbeatRows();
  return {
    open,
    unmappedWords,
    addPlay: (
      source: Source,
      play: RecordedPlay,
      origin: PlayOrigin = canonicalOrigin,
      to: Pick<typeof open.of, 'plays' | 'playSpans'> = open.of,
    ): void => {
      const { receipt, spans } = playRows(source, play, origin, readWord);
      addAtomically([to.plays, to.playSpans], () => {
        to.plays.add(receipt);
        for (const span of spans) to.playSpans.add(span);
      });
    },
    addDetection: (item: LogItem, detection: RecordedDetection): void => {
      const row = detectionRow(item, detection, readWord);
      const { network_id, device_id, vendor, detection_id, started_at, ended_at } = row;
      addAtomically([open.of.detections, open.of.detectionSpans], () => {
        open.of.detections.add(row);
        for (const span of spansOf(started_at, ended_at))
          open.of.detectionSpans.add({ network_id, device_id, span, vendor, detection_id, started_at, ended_at });
      });
    },
    addHeartbeat: (item: LogItem, heartbeat: RecordedHeartbeat): void => {
      if (heartbeat.feederId === undefined) return;
      const { row, remember } = heartbeatRow(item, heartbeat, heartbeat.feederId);
      open.of.feederHeartbeats.add(row);
      remember();
    },
    /**
     * `affecting`: detections or feeder heartbeats also make plays of earlier batches stale. `isolated`: only plays of the batch are stale.
     */
    get staleReason(): 'affecting' | 'isolated' | 'none' {
      if (open.of.detections.rows + open.of.feederHeartbeats.rows > 0) return 'affecting';
      return open.of.plays.rows > 0 ? 'isolated' : 'none';
    },
  };
};
