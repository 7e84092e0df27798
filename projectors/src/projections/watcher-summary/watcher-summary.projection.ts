import { DetectionsRecorded, parkingStream, type RecordedDetection, streamPrefixes } from '@popsvc/contracts/events';
import { type Partition, wholeProjection } from '@popsvc/domain/partitioning';
import { derivedWatcherSummary, devicePlaces, observations, watcherThresholds } from '@popsvc/read-models/tables';
import { readItem } from '../../engine/log-items.ts';
import { createRowBatches } from '../../engine/row-batches.ts';
import type { Fold, Projection } from '../../engine/projection.ts';
import { recomputeStale } from '../../engine/recompute.ts';
import { createPlacementWatch, devicePlacement } from '../placement/placement-watch.ts';
import { detectionRow, type ReadWord } from '../rows/fact-rows.ts';
import { watcherRecomputePlan } from './watcher-rows.sql.ts';

const factTables = { observations, places: devicePlaces, thresholds: watcherThresholds };

/** Counts no unmapped words: the `coffee` projection counts them for the same detections. */
const readWord: ReadWord = (_, { value }) => value;

const createFold = (partition: Partition = wholeProjection): Fold => {
  const open = createRowBatches(factTables);
  const placement = createPlacementWatch(devicePlacement, partition);
  return {
    restore: (event) => placement.restore(event),
    apply(event) {
      const data = readItem(event);
      if (event.type === DetectionsRecorded.type)
        open.of.observations.add(detectionRow(event, data as RecordedDetection, readWord));
      else placement.apply(event, data);
    },
    get pending() {
      const { rows, bytes } = open.pending;
      return { rows: rows + placement.pendingRows, bytes };
    },
    seal(range) {
      const { places, thresholds, changes } = placement.takeChanges();
      for (const { key, ...place } of places) open.of.places.add({ ...place, device_id: key });
      for (const threshold of thresholds) open.of.thresholds.add(threshold);
      const facts = open.of.observations.rows > 0 ? 'affecting' : 'none';
      return {
        inserts: open.seal(),
        derive: (session) => recomputeStale(session, watcherRecomputePlan, range, { facts, changes }),
      };
    },
  };
};

export const watcherSummaryProjection: Projection = {
  name: 'watcher-summary',
  isSplit: true,
  version: 1,
  streams: [streamPrefixes.detection, streamPrefixes.registry, streamPrefixes.probe, parkingStream('watcher-summary')],
  stateStreams: [streamPrefixes.registry],
  rowEventTypes: [DetectionsRecorded.type],
  tables: [
    ...Object.values(factTables),
    derivedWatcherSummary.table,
    derivedWatcherSummary.history,
    derivedWatcherSummary.pending,
  ],
  derived: derivedWatcherSummary,
  createFold,
  recomputePlan: watcherRecomputePlan,
};
