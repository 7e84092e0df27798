import { DetectionRecorded, parkingStream, streamPrefixes } from '@popsvc/contracts/events';
import {
  devicePlaces as devicePlaceTable,
  observations,
  watcherSummary,
  watcherThresholds,
} from '@popsvc/read-models/tables';
import { placeWatch, watchedDevices } from '../placement/placement-watch.ts';
import { detectionRow, type Understand } from '../rows/fact-rows.ts';
import { createRowBatches } from '../../engine/row-batches.ts';
import type { Fold, Projection, RecomputePlan } from '../../engine/projection.ts';
import { readEvent } from '../../engine/read-event.ts';
import { recomputeStale } from '../../engine/recompute.ts';
import { affectedDetections, staleWatchers, watcherRows, wholeWatchers } from './watcher-rows.sql.ts';

const facts = { observations, places: devicePlaceTable, thresholds: watcherThresholds };

/** Coffee reads the same detections, and counts what is not understood. */
const valueOf: Understand = (_, { value }) => value;

const recipe: RecomputePlan = {
  table: watcherSummary,
  isSliced: true,
  staleRowsSql: staleWatchers,
  facts: wholeWatchers,
  statements: (generation, reason) => [
    { name: 'affected', sql: affectedDetections(generation, reason) },
    watcherRows(generation, reason),
  ],
};

const start = (): Fold => {
  const open = createRowBatches(facts);
  const watch = placeWatch(watchedDevices);
  return {
    restore: (event) => watch.recall(event),
    reloadState: () => watch.relearn(),
    apply(event) {
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
      return {
        inserts: open.seal(),
        derive: (steps) => recomputeStale(steps, recipe, range, { facts: held, changes }),
      };
    },
  };
};

/** Who was detected, whatever played. Reads the registry too: a detection's place and thresholds are those of its start. */
export const watcherSummaryProjection: Projection = {
  name: 'watcher-summary',
  version: 1,
  reads: [streamPrefixes.detection, streamPrefixes.registry, streamPrefixes.probe, parkingStream('watcher-summary')],
  recalls: [streamPrefixes.registry],
  rowEventTypes: [DetectionRecorded.type],
  tables: [...Object.values(facts), watcherSummary],
  parallelBuild: { facts: [observations], recompute: recipe },
  createFold: start,
};
