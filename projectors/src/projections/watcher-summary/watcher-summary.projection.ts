import { DetectionRecorded, parkingStream, streamPrefixes } from '@popsvc/contracts/events';
import {
  devicePlaces as devicePlaceTable,
  observations,
  watcherSummary,
  watcherThresholds,
} from '@popsvc/read-models/tables';
import { placeWatch, watchedDevices } from '../placement/placement-watch.ts';
import { detectionRow, type Understand } from '../rows/fact-rows.ts';
import { openBatches } from '../../engine/open-batches.ts';
import type { Fold, Projection } from '../../engine/projection.ts';
import { readEvent } from '../../engine/read-event.ts';
import type { Recipe } from '../../engine/recipe.ts';
import { recompute } from '../../engine/recompute.ts';
import { affectedDetections, staleWatchers, watcherRows, wholeWatchers } from './watcher-rows.sql.ts';

const facts = { observations, places: devicePlaceTable, thresholds: watcherThresholds };

/** Coffee reads the same detections, and counts what is not understood. */
const valueOf: Understand = (_, { value }) => value;

const recipe: Recipe = {
  table: watcherSummary,
  isSliced: true,
  stale: staleWatchers,
  whole: wholeWatchers,
  statements: (generation, reason) => [
    { fills: 'affected', sql: affectedDetections(generation, reason) },
    watcherRows(generation, reason),
  ],
};

const start = (): Fold => {
  const open = openBatches(facts);
  const watch = placeWatch(watchedDevices);
  return {
    recall: (event) => watch.recall(event),
    relearn: () => watch.relearn(),
    take(event) {
      const data = readEvent(event);
      if (event.type === DetectionRecorded.type)
        open.of.observations.add(detectionRow(event, data as DetectionRecorded, valueOf));
      else watch.take(event, data);
    },
    get pending() {
      return open.pending;
    },
    seal(range) {
      const { places, thresholds, changes } = watch.changes(range.upTo);
      for (const { key, ...place } of places) open.of.places.add({ ...place, device_id: key });
      for (const threshold of thresholds) open.of.thresholds.add(threshold);
      const held = open.of.observations.rows > 0 ? 'batch' : undefined;
      return { inserts: open.seal(), after: (steps) => recompute(steps, recipe, range, { facts: held, changes }) };
    },
  };
};

/** Who was detected, whatever played. Reads the registry too: a detection's place and thresholds are those of its start. */
export const watcherSummaryProjection: Projection = {
  name: 'watcher-summary',
  version: 1,
  reads: [streamPrefixes.detection, streamPrefixes.registry, streamPrefixes.probe, parkingStream('watcher-summary')],
  recalls: [streamPrefixes.registry],
  rowOfEach: [DetectionRecorded.type],
  tables: [...Object.values(facts), watcherSummary],
  rebuild: { facts: [observations], recipe },
  start,
};
