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
import { DetectionsRecorded } from './detections.events.ts';
import type { EventDefinition } from './event-definition.ts';
import { HeartbeatsRecorded } from './heartbeats.events.ts';
import { IntervalsRecorded } from './intervals.events.ts';
import { DeviceWentOffline, DeviceWentOnline, FeederWentOffline, FeederWentOnline } from './liveness.events.ts';
import { MappingRegistered, QuarantineRetried } from './mappings.events.ts';
import {
  OperatorActionRecorded,
  ParkedEventsDiscarded,
  ParkedEventsRetried,
  ProbeEmitted,
} from './operations.events.ts';
import { NoticeIssued } from './notices.events.ts';
import { DynamicPlaysRecorded, PlaysRecorded } from './plays.events.ts';
import { registryEvents } from './registry.events.ts';
import { streamPrefixes } from './streams.ts';

export const allEvents: readonly EventDefinition[] = [
  PlaysRecorded,
  DynamicPlaysRecorded,
  HeartbeatsRecorded,
  IntervalsRecorded,
  DetectionsRecorded,
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
  OperatorActionRecorded,
  NoticeIssued,
  ProbeEmitted,
  ...registryEvents,
];

const byType = new Map(allEvents.map((definition) => [definition.type, definition]));

/** Returns undefined for an unknown type, which a newer version of popsvc may have written. */
export const findEventDefinition = (type: string): EventDefinition | undefined => byType.get(type);

const formerEventTypes: ReadonlySet<string> = new Set([
  'PopRecorded',
  'DynamicPopRecorded',
  'HeartbeatRecorded',
  'IntervalRecorded',
  'DetectionRecorded',
]);

/** Only releases before 0.1.0-alpha.3 wrote these events. A reader that skipped them as unknown would lose their plays and heartbeats. */
export const isFormerEventType = (type: string): boolean => formerEventTypes.has(type);

const eventsByPrefix: readonly (readonly [prefix: string, events: readonly { readonly type: string }[]])[] = [
  [streamPrefixes.pop, [PlaysRecorded]],
  [streamPrefixes.dynamicPop, [DynamicPlaysRecorded]],
  [streamPrefixes.bulkRows, [DynamicPlaysRecorded]],
  [streamPrefixes.heartbeat, [HeartbeatsRecorded]],
  [streamPrefixes.interval, [IntervalsRecorded]],
  [streamPrefixes.detection, [DetectionsRecorded]],
  [streamPrefixes.registry, registryEvents],
  [streamPrefixes.mapping, [MappingRegistered, QuarantineRetried]],
  [streamPrefixes.upload, [UploadRequested, UploadReceived, UploadClaimed, UploadExpired]],
  [streamPrefixes.bulkJob, [BulkIngestQueued, BulkIngestStarted, BulkRowsIngested]],
  [streamPrefixes.bulkJob, [BulkIngestCompleted, BulkIngestPartiallyCompleted, BulkIngestFailed]],
  [streamPrefixes.liveness, [DeviceWentOnline, DeviceWentOffline, FeederWentOnline, FeederWentOffline]],
  [streamPrefixes.parking, [ParkedEventsRetried, ParkedEventsDiscarded]],
  [streamPrefixes.audit, [OperatorActionRecorded]],
  [streamPrefixes.notice, [NoticeIssued]],
  [streamPrefixes.probe, [ProbeEmitted]],
];

const prefixesByType = new Map<string, string[]>();
for (const [prefix, events] of eventsByPrefix)
  for (const { type } of events) prefixesByType.set(type, [...(prefixesByType.get(type) ?? []), prefix]);

/** Throws if no prefix is known for a type. */
export const streamPrefixesOf = (types: readonly string[]): readonly string[] => {
  const found = types.flatMap((type) => {
    const prefixes = prefixesByType.get(type);
    if (!prefixes) throw new Error(`no stream prefix is known for event type ${type}`);
    return prefixes;
  });
  return [...new Set(found)];
};
