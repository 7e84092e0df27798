import {
  DetectionRecorded,
  DynamicPopRecorded,
  HeartbeatRecorded,
  parkingStream,
  PopRecorded,
  streamPrefixes,
} from '@popsvc/contracts/events';
import { feederPlaces } from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import { derivedCoffee, vendorBalance } from '@popsvc/read-models/tables';
import { addAtomically } from '../../engine/row-batches.ts';
import type { AppliedAt, Fold, Projection } from '../../engine/projection.ts';
import { readEvent } from '../../engine/read-event.ts';
import { recomputeStale } from '../../engine/recompute.ts';
import { createDynamicPlays } from '../dynamic-events/dynamic-plays.ts';
import { releaseWaitingEvents } from '../dynamic-events/release.ts';
import { createPlacementWatch, screenPlacement } from '../placement/placement-watch.ts';
import { sourceOf } from '../rows/fact-rows.ts';
import { createCoffeeFacts, factTables } from './coffee-facts.ts';
import { coffeeRecomputePlan } from './recompute-plan.ts';

const createFold = (): Fold => {
  const facts = createCoffeeFacts();
  const { open, unmappedWords, addPlay, addDetection, addHeartbeat } = facts;
  const placement = createPlacementWatch(screenPlacement, feederPlaces);
  const dynamic = createDynamicPlays(placement.registry);

  /** Adds a dynamic event as a play if a mapping can convert it. Otherwise, quarantines the event. */
  const addDynamicEvent = (event: LogEvent, data: DynamicPopRecorded, at?: AppliedAt) => {
    const result = dynamic.read(event, data, at);
    if ('play' in result) {
      addPlay(sourceOf(event), result.play, result.origin);
      return;
    }
    addAtomically([open.of.quarantine, open.of.receipts], () => {
      open.of.quarantine.add(result.quarantined);
      open.of.receipts.add(result.receipt);
    });
  };

  return {
    restore(event) {
      placement.restore(event);
      dynamic.restore(event);
    },
    reloadState() {
      const parts = [placement.reloadState(), dynamic.reloadState()];
      return {
        restore(event, knownFrom) {
          for (const part of parts) part.restore(event, knownFrom);
        },
        // `placement` must come first in `parts`: its `adopt` replaces the registry that `dynamic` reads in its own `adopt`.
        adopt(at, taken) {
          for (const part of parts) part.adopt(at, taken);
        },
      };
    },
    apply(event, at) {
      const data = readEvent(event);
      if (event.type === PopRecorded.type) addPlay(sourceOf(event), data as PopRecorded);
      else if (event.type === DynamicPopRecorded.type) addDynamicEvent(event, data as DynamicPopRecorded, at);
      else if (event.type === DetectionRecorded.type) addDetection(event, data as DetectionRecorded);
      else if (event.type === HeartbeatRecorded.type) addHeartbeat(event, data as HeartbeatRecorded);
      else {
        placement.apply(event, data);
        dynamic.apply(event, data);
      }
    },
    get pending() {
      return open.pending;
    },
    seal(range) {
      const { places, thresholds, feeders, changes } = placement.takeChanges(range.upTo);
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
 * The projection of plays and their audience. It also reads the mappings, which convert dynamic events to plays, and the
 * registry: the row of a play contains the placement and the thresholds that were in force at the start of the play.
 */
export const coffeeProjection: Projection = {
  name: 'coffee',
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
  rowEventTypes: [PopRecorded.type, DynamicPopRecorded.type, DetectionRecorded.type],
  tables: [...Object.values(factTables), derivedCoffee.table, derivedCoffee.pending],
  derived: derivedCoffee,
  views: [vendorBalance],
  createFold,
  recomputePlan: coffeeRecomputePlan,
};
