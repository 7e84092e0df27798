import { DetectionRecorded, PopRecorded, streamPrefixes } from '@popsvc/contracts/events';
import {
  coffee,
  coffeeThresholds,
  detections,
  detectionSpans,
  plays,
  playSpans,
  screenPlaces as screenPlaceTable,
} from '@popsvc/contracts/tables';
import { screenPlaces } from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import { placeWatch } from '../places/place-watch.ts';
import { detectionRow } from '../run/detection-row.ts';
import { openBatches } from '../run/open-batches.ts';
import type { Fold, Projection } from '../run/projection.ts';
import { readEvent } from '../run/read-event.ts';
import { recompute } from '../run/recompute.ts';
import { spansOf } from '../run/spans.ts';
import { wordCount } from '../run/word-count.ts';
import { playRows } from './play-rows.ts';
import { coffeeRecipe } from './recipe.ts';

const facts = {
  plays,
  playSpans,
  detections,
  detectionSpans,
  places: screenPlaceTable,
  thresholds: coffeeThresholds,
};

const start = (): Fold => {
  const open = openBatches(facts);
  const watch = placeWatch(screenPlaces);
  const words = wordCount();

  const takePlay = (event: LogEvent, play: PopRecorded) => {
    const { receipt, spans } = playRows(event, play, words.understand);
    open.of.plays.add(receipt);
    for (const span of spans) open.of.playSpans.add(span);
  };

  const takeDetection = (event: LogEvent, detection: DetectionRecorded) => {
    const row = detectionRow(event, detection, words.understand);
    open.of.detections.add(row);
    const { network_id, device_id, vendor, detection_id, started_at, ended_at } = row;
    for (const span of spansOf(started_at, ended_at))
      open.of.detectionSpans.add({ network_id, device_id, span, vendor, detection_id, started_at, ended_at });
  };

  return {
    recall: (event) => watch.recall(event),
    take(event) {
      const data = readEvent(event);
      if (event.type === PopRecorded.type) takePlay(event, data as PopRecorded);
      else if (event.type === DetectionRecorded.type) takeDetection(event, data as DetectionRecorded);
      else watch.take(event, data);
    },
    get pending() {
      return open.pending;
    },
    seal(range) {
      const { places, thresholds, changes } = watch.changes(range.upTo);
      for (const { key, ...place } of places) open.of.places.add({ ...place, screen_id: key });
      for (const threshold of thresholds) open.of.thresholds.add(threshold);
      const isTouched = open.of.plays.rows + open.of.detections.rows > 0;
      return {
        inserts: open.seal(),
        unmapped: words.take(),
        after: (steps) => recompute(steps, coffeeRecipe, range, { facts: isTouched, changes }),
      };
    },
  };
};

/** Plays and who was in front of them. Reads the registry too: a play's place and thresholds are those of its start. */
export const coffeeProjection: Projection = {
  name: 'coffee',
  reads: [streamPrefixes.pop, streamPrefixes.detection, streamPrefixes.registry, streamPrefixes.probe],
  recalls: [streamPrefixes.registry],
  tables: [...Object.values(facts), coffee],
  start,
};
