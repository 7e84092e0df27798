import {
  DetectionRecorded,
  DynamicPopRecorded,
  HeartbeatRecorded,
  PopRecorded,
  streamPrefixes,
} from '@popsvc/contracts/events';
import {
  coffee,
  coffeeThresholds,
  detections,
  detectionSpans,
  feederBeats,
  feederPlaces as feederPlaceTable,
  plays,
  playSpans,
  quarantine,
  receipts,
  screenPlaces as screenPlaceTable,
  vendorBalance,
} from '@popsvc/contracts/tables';
import { feederPlaces, screenPlaces } from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import { dynamicPlays } from '../dynamic/dynamic-plays.ts';
import { type PlayBatches, release } from '../dynamic/release.ts';
import { placeWatch } from '../places/place-watch.ts';
import { detectionRow } from '../run/detection-row.ts';
import { openBatches } from '../run/open-batches.ts';
import type { Fold, Projection } from '../run/projection.ts';
import { readEvent } from '../run/read-event.ts';
import { recompute } from '../run/recompute.ts';
import { type Source, sourceOf } from '../run/source.ts';
import { spansOf } from '../run/spans.ts';
import { wordCount } from '../run/word-count.ts';
import { feederBeatRows } from './feeder-beats.ts';
import { playRows } from './play-rows.ts';
import { coffeeRecipe } from './recipe.ts';

const facts = {
  plays,
  playSpans,
  quarantine,
  receipts,
  detections,
  detectionSpans,
  places: screenPlaceTable,
  feederBeats,
  feeders: feederPlaceTable,
  thresholds: coffeeThresholds,
};

const start = (): Fold => {
  const open = openBatches(facts);
  const watch = placeWatch(screenPlaces, feederPlaces);
  const dynamic = dynamicPlays(watch.registry);
  const words = wordCount();
  const beatRow = feederBeatRows();

  const addPlay = (to: PlayBatches, source: Source, play: PopRecorded) => {
    const { receipt, spans } = playRows(source, play, words.understand);
    to.plays.add(receipt);
    for (const span of spans) to.playSpans.add(span);
  };

  const takeDynamic = (event: LogEvent, data: DynamicPopRecorded) => {
    const read = dynamic.read(event, data);
    if ('play' in read) {
      addPlay(open.of, sourceOf(event), read.play);
      return;
    }
    open.of.quarantine.add(read.quarantined);
    open.of.receipts.add(read.receipt);
  };

  const takeDetection = (event: LogEvent, detection: DetectionRecorded) => {
    const row = detectionRow(event, detection, words.understand);
    open.of.detections.add(row);
    const { network_id, device_id, vendor, detection_id, started_at, ended_at } = row;
    for (const span of spansOf(started_at, ended_at))
      open.of.detectionSpans.add({ network_id, device_id, span, vendor, detection_id, started_at, ended_at });
  };

  const takeBeat = (event: LogEvent, beat: HeartbeatRecorded) => {
    if (beat.feederId !== undefined) open.of.feederBeats.add(beatRow(event, beat, beat.feederId));
  };

  return {
    recall(event) {
      watch.recall(event);
      dynamic.recall(event);
    },
    take(event) {
      const data = readEvent(event);
      if (event.type === PopRecorded.type) addPlay(open.of, sourceOf(event), data as PopRecorded);
      else if (event.type === DynamicPopRecorded.type) takeDynamic(event, data as DynamicPopRecorded);
      else if (event.type === DetectionRecorded.type) takeDetection(event, data as DetectionRecorded);
      else if (event.type === HeartbeatRecorded.type) takeBeat(event, data as HeartbeatRecorded);
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
      const points = dynamic.points();
      const isTouched = open.of.plays.rows + open.of.detections.rows + open.of.feederBeats.rows > 0;
      return {
        inserts: open.seal(),
        unmapped: words.take(),
        async after(steps) {
          const released = await release(steps, range, { known: dynamic.known, points, addPlay });
          await recompute(steps, coffeeRecipe, range, { facts: isTouched, changes, released });
        },
      };
    },
  };
};

/** Plays and who was in front of them. Reads the registry too: a play's place and thresholds are those of its start. */
export const coffeeProjection: Projection = {
  name: 'coffee',
  reads: [
    streamPrefixes.pop,
    streamPrefixes.dynamicPop,
    streamPrefixes.bulkRows,
    streamPrefixes.mapping,
    streamPrefixes.detection,
    streamPrefixes.heartbeat,
    streamPrefixes.registry,
    streamPrefixes.probe,
  ],
  recalls: [streamPrefixes.registry, streamPrefixes.mapping],
  tables: [...Object.values(facts), coffee],
  views: [vendorBalance],
  start,
};
