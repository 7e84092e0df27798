import type { DetectionRecorded, HeartbeatRecorded, PopRecorded } from '@popsvc/contracts/events';
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
import type { LogEvent } from '@popsvc/platform/event-store';
import { type Origin, pushed } from '../dynamic-events/sent-event.ts';
import { detectionRow } from '../rows/detection-row.ts';
import { openBatches, together } from '../../engine/open-batches.ts';
import type { Source } from '../rows/source.ts';
import { spansOf } from '../rows/spans.ts';
import { wordCount } from '../rows/word-count.ts';
import { feederBeatRows } from './feeder-beats.ts';
import { playRows } from './play-rows.ts';

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
  const open = openBatches(factTables, ['detectionSpans']);
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
      together([to.plays, to.playSpans], () => {
        to.plays.add(receipt);
        for (const span of spans) to.playSpans.add(span);
      });
    },
    addDetection: (event: LogEvent, detection: DetectionRecorded): void => {
      const row = detectionRow(event, detection, words.understand);
      const { network_id, device_id, vendor, detection_id, started_at, ended_at } = row;
      together([open.of.detections, open.of.detectionSpans], () => {
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
