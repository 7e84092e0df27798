import {
  BulkIngestCompleted,
  BulkIngestFailed,
  BulkIngestPartiallyCompleted,
  BulkIngestQueued,
  BulkIngestStarted,
  BulkRowsIngested,
  UploadClaimed,
  UploadExpired,
  UploadReceived,
  UploadRequested,
} from './bulk.events.ts';
import { DetectionRecorded } from './detections.events.ts';
import type { EventDefinition } from './event-definition.ts';
import { HeartbeatRecorded } from './heartbeats.events.ts';
import { IntervalRecorded } from './intervals.events.ts';
import { DeviceWentOffline, DeviceWentOnline, FeederWentOffline, FeederWentOnline } from './liveness.events.ts';
import { MappingRegistered, QuarantineRetried } from './mappings.events.ts';
import { ParkedEventsDiscarded, ParkedEventsRetried, ProbeEmitted } from './operations.events.ts';
import { DynamicPopRecorded, PopRecorded } from './plays.events.ts';
import { registryEvents } from './registry.events.ts';
import { streamPrefixes } from './streams.ts';

/** Every event type of the service. */
export const allEvents: readonly EventDefinition[] = [
  PopRecorded,
  DynamicPopRecorded,
  HeartbeatRecorded,
  IntervalRecorded,
  DetectionRecorded,
  UploadRequested,
  UploadReceived,
  UploadClaimed,
  UploadExpired,
  BulkIngestQueued,
  BulkIngestStarted,
  BulkRowsIngested,
  BulkIngestCompleted,
  BulkIngestPartiallyCompleted,
  BulkIngestFailed,
  MappingRegistered,
  QuarantineRetried,
  DeviceWentOnline,
  DeviceWentOffline,
  FeederWentOnline,
  FeederWentOffline,
  ParkedEventsRetried,
  ParkedEventsDiscarded,
  ProbeEmitted,
  ...registryEvents,
];

const byType = new Map(allEvents.map((definition) => [definition.type, definition]));

/**
 * Returns the definition of an event type, or undefined if this version of popsvc does not know the type. Readers skip events of
 * unknown types, which a newer version may have written.
 */
export const findEventDefinition = (type: string): EventDefinition | undefined => byType.get(type);

const eventsByPrefix: readonly (readonly [prefix: string, events: readonly { readonly type: string }[]])[] = [
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

const prefixesByType = new Map<string, string[]>();
for (const [prefix, events] of eventsByPrefix)
  for (const { type } of events) prefixesByType.set(type, [...(prefixesByType.get(type) ?? []), prefix]);

/** Returns the stream prefixes for these event types. Throws if no prefix is known for a type. */
export const streamPrefixesOf = (types: readonly string[]): readonly string[] => {
  const found = types.flatMap((type) => {
    const prefixes = prefixesByType.get(type);
    if (!prefixes) throw new Error(`no stream prefix is known for event type ${type}`);
    return prefixes;
  });
  return [...new Set(found)];
};
