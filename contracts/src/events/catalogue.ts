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

/**
 * Returns the definition of an event type, or undefined if this version of popsvc does not know the type. Readers skip events of
 * unknown types, which a newer version may have written.
 */
export const findEventDefinition = (type: string): EventDefinition | undefined => byType.get(type);

/** Event types of the releases before 0.1.0-alpha.3, which stored each item of a request as an event. */
const formerEventTypes: ReadonlySet<string> = new Set([
  'PopRecorded',
  'DynamicPopRecorded',
  'HeartbeatRecorded',
  'IntervalRecorded',
  'DetectionRecorded',
]);

/**
 * Returns whether only releases before 0.1.0-alpha.3 wrote events of this type. A reader must not skip them as unknown, because it
 * would lose the plays and heartbeats in them.
 */
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

/** Returns the prefixes of the streams that may contain events of these types. Throws if a type has no prefix. */
export const streamPrefixesOf = (types: readonly string[]): readonly string[] => {
  const found = types.flatMap((type) => {
    const prefixes = prefixesByType.get(type);
    if (!prefixes) throw new Error(`no stream prefix is known for event type ${type}`);
    return prefixes;
  });
  return [...new Set(found)];
};
