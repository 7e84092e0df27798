import {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  BulkIngestQueued,
  BulkIngestStarted,
  BulkRowsIngested,
} from './bulk-ingest.events.ts';
import { DetectionRecorded } from './detection-recorded.event.ts';
import { DynamicPopRecorded } from './dynamic-pop-recorded.event.ts';
import { HeartbeatRecorded } from './heartbeat-recorded.event.ts';
import { IntervalRecorded } from './interval-recorded.event.ts';
import { DeviceWentOffline, DeviceWentOnline, FeederWentOffline, FeederWentOnline } from './liveness.events.ts';
import { MappingRegistered } from './mapping-registered.event.ts';
import { ParkedEventsDiscarded, ParkedEventsRetried } from './parking.events.ts';
import { PopRecorded } from './pop-recorded.event.ts';
import { ProbeEmitted } from './probe-emitted.event.ts';
import { QuarantineRetried } from './quarantine-retried.event.ts';
import { registryEvents } from './registry.events.ts';
import { streamPrefixes } from './streams.ts';
import { UploadClaimed, UploadExpired, UploadReceived, UploadRequested } from './upload.events.ts';

const standing: readonly (readonly [prefix: string, events: readonly { readonly type: string }[]])[] = [
  [streamPrefixes.pop, [PopRecorded]],
  [streamPrefixes.dynamicPop, [DynamicPopRecorded]],
  [streamPrefixes.bulkRows, [DynamicPopRecorded]],
  [streamPrefixes.heartbeat, [HeartbeatRecorded]],
  [streamPrefixes.interval, [IntervalRecorded]],
  [streamPrefixes.detection, [DetectionRecorded]],
  [streamPrefixes.registry, registryEvents],
  [streamPrefixes.mapping, [MappingRegistered, QuarantineRetried]],
  [streamPrefixes.upload, [UploadRequested, UploadReceived, UploadClaimed, UploadExpired]],
  [streamPrefixes.bulkJob, [BulkIngestQueued, BulkIngestStarted, BulkRowsIngested]],
  [streamPrefixes.bulkJob, [BulkIngestCompleted, BulkIngestPartiallyCompleted, BulkIngestFailed]],
  [streamPrefixes.liveness, [DeviceWentOnline, DeviceWentOffline, FeederWentOnline, FeederWentOffline]],
  [streamPrefixes.parking, [ParkedEventsRetried, ParkedEventsDiscarded]],
  [streamPrefixes.probe, [ProbeEmitted]],
];

const byType = new Map<string, string[]>();
for (const [prefix, events] of standing)
  for (const { type } of events) byType.set(type, [...(byType.get(type) ?? []), prefix]);

/** In which streams events of these types stand. Throws on a type of which that is not known. */
export const streamPrefixesOf = (types: readonly string[]): readonly string[] => {
  const found = types.flatMap((type) => {
    const prefixes = byType.get(type);
    if (!prefixes) throw new Error(`nobody knows in which streams ${type} stands`);
    return prefixes;
  });
  return [...new Set(found)];
};
