import {
  DetectionRecorded,
  DynamicPopRecorded,
  HeartbeatRecorded,
  parkingStream,
  PopRecorded,
  streamPrefixes,
} from '@popsvc/contracts/events';
import { coffee, vendorBalance } from '@popsvc/read-models/tables';
import { feederPlaces } from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import { dynamicPlays } from '../dynamic-events/dynamic-plays.ts';
import { release } from '../dynamic-events/release.ts';
import { placeWatch, watchedScreens } from '../placement/placement-watch.ts';
import type { Fold, Projection, BatchSession, AppliedAt } from '../../engine/projection.ts';
import { addAtomically } from '../../engine/row-batches.ts';
import { readEvent } from '../../engine/read-event.ts';
import { recomputeStale } from '../../engine/recompute.ts';
import { sourceOf } from '../rows/fact-rows.ts';
import { coffeeFacts, commutingTables, factTables } from './coffee-facts.ts';
import { coffeeRecipe } from './recompute-plan.ts';

const start = (): Fold => {
  const facts = coffeeFacts();
  const { open, words, addPlay, addDetection, addBeat } = facts;
  const watch = placeWatch(watchedScreens, feederPlaces);
  const dynamic = dynamicPlays(watch.registry);

  const addDynamic = (event: LogEvent, data: DynamicPopRecorded, at?: AppliedAt) => {
    const read = dynamic.read(event, data, at);
    if ('play' in read) {
      addPlay(sourceOf(event), read.play, read.origin);
      return;
    }
    addAtomically([open.of.quarantine, open.of.receipts], () => {
      open.of.quarantine.add(read.quarantined);
      open.of.receipts.add(read.receipt);
    });
  };

  return {
    restore(event) {
      watch.recall(event);
      dynamic.recall(event);
    },
    reloadState() {
      const [places, mappings] = [watch.relearn(), dynamic.relearn()];
      return {
        restore(event, knownFrom) {
          places.restore(event, knownFrom);
          mappings.restore(event, knownFrom);
        },
        adopt(at, taken) {
          places.adopt(at, taken);
          mappings.adopt(at, taken);
        },
      };
    },
    apply(event, at) {
      const data = readEvent(event);
      if (event.type === PopRecorded.type) addPlay(sourceOf(event), data as PopRecorded);
      else if (event.type === DynamicPopRecorded.type) addDynamic(event, data as DynamicPopRecorded, at);
      else if (event.type === DetectionRecorded.type) addDetection(event, data as DetectionRecorded);
      else if (event.type === HeartbeatRecorded.type) addBeat(event, data as HeartbeatRecorded);
      else {
        watch.take(event, data);
        dynamic.note(event, data);
      }
    },
    get pending() {
      return open.pending;
    },
    seal(range) {
      const { places, thresholds, feeders, changes } = watch.changes(range.upTo);
      for (const { key, ...place } of places) open.of.places.add({ ...place, screen_id: key });
      for (const threshold of thresholds) open.of.thresholds.add(threshold);
      for (const feeder of feeders) open.of.feeders.add(feeder);
      const { points, quarantined } = dynamic.take();
      const stale = { facts: facts.held, changes };
      const releasing = (steps: BatchSession) => release(steps, range, { known: dynamic.known, points, addPlay });
      return {
        inserts: open.seal(),
        unmapped: words.take(),
        quarantined,
        releaseWaiting: releasing,
        async derive(steps) {
          await recomputeStale(steps, coffeeRecipe, range, { ...stale, released: await releasing(steps) });
        },
      };
    },
  };
};

/** Plays and who was in front of them. Reads the registry too: a play's place and thresholds are those of its start. */
export const coffeeProjection: Projection = {
  name: 'coffee',
  version: 1,
  reads: [
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
  recalls: [streamPrefixes.registry, streamPrefixes.mapping],
  rowEventTypes: [PopRecorded.type, DynamicPopRecorded.type, DetectionRecorded.type],
  tables: [...Object.values(factTables), coffee],
  views: [vendorBalance],
  parallelBuild: { facts: commutingTables, recompute: coffeeRecipe },
  createFold: start,
};
