import { timeZoneVersion } from '@popsvc/contracts/time-zones';
import type { RecordedDynamicPlay, RecordedPlay } from '@popsvc/contracts/events';
import { type MappingFailure, type Mappings, mappingVersions } from '@popsvc/domain/mappings';
import { type Registry, screenZone } from '@popsvc/domain/registry';
import type { LogItem } from '../../engine/log-items.ts';
import { type Source, sourceOf } from '../rows/fact-rows.ts';

export interface DynamicEvent {
  readonly source: Source;
  readonly schemaVersion: string;
  readonly event: unknown;
  /** Maximum age of a play when the event was received; undefined: no limit. */
  readonly maxAgeDays: number | undefined;
  /** Empty for an event that was not sent in a bulk file. */
  readonly jobId: string;
  readonly jobRow: number;
}

export const dynamicEventOf = (
  item: LogItem,
  { schemaVersion, event, maxAgeDays, bulk }: RecordedDynamicPlay,
): DynamicEvent => ({
  source: sourceOf(item),
  schemaVersion,
  event,
  maxAgeDays,
  jobId: bulk?.jobId ?? '',
  jobRow: bulk?.row ?? 0,
});

/**
 * `job_id` and `job_row`: place in a bulk file. `local_zone` and `zone_version`: time zone of a start that was sent as local time, and
 * version of the time zone data that converted it.
 */
export interface PlayOrigin {
  readonly schema_version: string;
  readonly job_id: string;
  readonly job_row: number;
  readonly local_zone: string;
  readonly zone_version: string;
}

export const canonicalOrigin: PlayOrigin = {
  schema_version: '',
  job_id: '',
  job_row: 0,
  local_zone: '',
  zone_version: '',
};

export const originOf = (
  { schemaVersion, jobId, jobRow }: DynamicEvent,
  { zone }: Pick<MappedPlay, 'zone'>,
): PlayOrigin => ({
  schema_version: schemaVersion,
  job_id: jobId,
  job_row: jobRow,
  local_zone: zone ?? '',
  zone_version: zone === undefined ? '' : timeZoneVersion,
});

/** Includes former mappings and registry entries, so that events can be converted as of any log position. */
export interface MappingState {
  readonly registry: Registry;
  readonly mappings: Mappings;
}

export interface MappedPlay {
  readonly play: RecordedPlay;
  readonly version: number;
  /** Time zone whose rules determine the start of the play; undefined if none do. */
  readonly zone: string | undefined;
}

export interface WaitReason extends MappingFailure {
  /** Event id that a mapping found in the event; empty if none did. */
  readonly eventId: string;
  /** The event's screens without a known time zone, sorted. The event is retried when one of them is registered. */
  readonly screens: readonly string[];
}

const noMapping: MappingFailure = { code: 'no_mapping', reason: 'no mapping is registered for this schema version' };

/**
 * The mapping version in force at the event's position comes first, then later ones (docs/decisions/0009-mapped-when-projected.md). `asOf`:
 * sequence whose mappings and registry are used; default: the current ones.
 */
export const mapDynamicEvent = (
  { registry, mappings }: MappingState,
  { source, schemaVersion, event, maxAgeDays }: DynamicEvent,
  asOf?: bigint,
): MappedPlay | WaitReason => {
  const { network_id: network, vendor, received_at: receivedAtMs } = source;
  const versions = mappingVersions(mappings, vendor, schemaVersion).filter(
    ({ position }) => asOf === undefined || position <= asOf,
  );
  const inForce = versions.findLastIndex(({ position }) => position < source.pos);
  const screensWithoutZone = new Set<string>();
  const zoneOf = (screen: string, atMs: number) => {
    const zone = screenZone(registry, network, screen, atMs, asOf);
    if (zone === undefined) screensWithoutZone.add(screen);
    return zone;
  };
  let failure = noMapping;
  let eventId = '';
  for (const { version, map } of versions.slice(Math.max(0, inForce))) {
    const mapped = map(event, { receivedAtMs, maxAgeDays, zoneOf });
    if ('play' in mapped) return { play: mapped.play, version, zone: mapped.zone };
    failure = mapped.unfit;
    eventId = mapped.eventId ?? eventId;
  }
  return { ...failure, eventId, screens: [...screensWithoutZone].sort() };
};
