import {
  DetectionsRecorded,
  DynamicPlaysRecorded,
  HeartbeatsRecorded,
  parkingStream,
  PlaysRecorded,
  type RecordedDetection,
  type RecordedDynamicPlay,
  type RecordedHeartbeat,
  type RecordedPlay,
  streamPrefixes,
} from '@popsvc/contracts/events';
import { type Partition, wholeProjection } from '@popsvc/domain/partitioning';
import { feederPlaces } from '@popsvc/domain/registry';
import { derivedCoffee, vendorBalance } from '@popsvc/read-models/tables';
import { type LogItem, readItem } from '../../engine/log-items.ts';
import { addAtomically } from '../../engine/row-batches.ts';
import type { AppliedAt, Fold, Projection } from '../../engine/projection.ts';
import { recomputeStale } from '../../engine/recompute.ts';
import { createDynamicPlays } from '../dynamic-events/dynamic-plays.ts';
import { releaseWaitingEvents } from '../dynamic-events/release.ts';
import { createPlacementWatch, screenPlacement } from '../placement/placement-watch.ts';
import { sourceOf } from '../rows/fact-rows.ts';
import { createCoffeeFacts, factTables } from './coffee-facts.ts';
import { coffeeRecomputePlan } from './recompute-plan.ts';

const createFold = (partition: Partition = wholeProjection): Fold => {
  const facts = createCoffeeFacts();
  const { open, unmappedWords, addPlay, addDetection, addHeartbeat } = facts;
  const placement = createPlacementWatch(screenPlacement, partition, feederPlaces);
  const dynamic = createDynamicPlays(placement.registry, partition);

  const addDynamicEvent = (item: LogItem, data: RecordedDynamicPlay, at?: AppliedAt) => {
    const result = dynamic.read(item, data, at);
    if ('play' in result) {
      addPlay(sourceOf(item), result.play, result.origin);
      return;
    }
    addAtomically([open.of.quarantine, open.of.receipts], () => {
      open.of.quarantine.add(result.quarantined);
      open.of.receipts.add(result.receipt);
    });
  };

  return {
    restore(item) {
      placement.restore(item);
      dynamic.restore(item);
    },
    apply(item, at) {
      const data = readItem(item);
      if (item.type === PlaysRecorded.type) addPlay(sourceOf(item), data as RecordedPlay);
      else if (item.type === DynamicPlaysRecorded.type) addDynamicEvent(item, data as RecordedDynamicPlay, at);
      else if (item.type === DetectionsRecorded.type) addDetection(item, data as RecordedDetection);
      else if (item.type === HeartbeatsRecorded.type) addHeartbeat(item, data as RecordedHeartbeat);
      else {
        placement.apply(item, data);
        dynamic.apply(item, data);
      }
    },
    get pending() {
      const { rows, bytes } = open.pending;
      return { rows: rows + placement.pendingRows, bytes };
    },
    seal(range) {
      const { places, thresholds, feeders, changes } = placement.takeChanges();
      for (const { key, ...place } of places) open.of.places.add({ ...place, screen_id: key });
      for (const threshold of thresholds) open.of.thresholds.add(threshold);
      for (const feeder of feeders) open.of.feeders.add(feeder);
      const { retryPoints, quarantined } = dynamic.takeBatch();
      const stale = { facts: facts.staleReason, changes };
      return {
        inserts: open.seal(),
        unmapped: unmappedWords.takeCounts(),
        quarantined,
        async derive(session) {
          const { mappingState } = dynamic;
          const released = await releaseWaitingEvents(session, range, { mappingState, retryPoints, addPlay });
          await recomputeStale(session, coffeeRecomputePlan, range, { ...stale, released });
        },
      };
    },
  };
};

/**
 * Mappings convert events in vendors' own schemas to plays. The registry provides the placement and the thresholds at the start of each
 * play.
 */
export const coffeeProjection: Projection = {
  name: 'coffee',
  isSplit: true,
  version: 1,
  streams: [
    streamPrefixes.pop,
    streamPrefixes.dynamicPop,
    streamPrefixes.bulkRows,
    streamPrefixes.mapping,
    streamPrefixes.detection,
    streamPrefixes.heartbeat,
    streamPrefixes.registry,
    streamPrefixes.probe,
    parkingStream('coffee'),
  ],
  stateStreams: [streamPrefixes.registry, streamPrefixes.mapping],
  rowEventTypes: [PlaysRecorded.type, DynamicPlaysRecorded.type, DetectionsRecorded.type],
  tables: [...Object.values(factTables), derivedCoffee.table, derivedCoffee.history, derivedCoffee.pending],
  derived: derivedCoffee,
  views: [vendorBalance],
  createFold,
  recomputePlan: coffeeRecomputePlan,
};
