import type { DynamicPopRecorded, PopRecorded } from '@popsvc/contracts/events';
import { type MappingFailure, type Mappings, mappingVersions } from '@popsvc/domain/mappings';
import { type Registry, screenZone } from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import { type Source, sourceOf } from '../rows/fact-rows.ts';

/** A dynamic event (a play in a vendor's own schema), with everything that decides which play it becomes. */
export interface DynamicEvent {
  readonly source: Source;
  readonly schemaVersion: string;
  /** As the vendor sent it. */
  readonly event: unknown;
  /** The age limit in force at its receipt; undefined without one. */
  readonly maxAgeDays: number | undefined;
  /** The bulk job it came with; empty for a pushed event. */
  readonly jobId: string;
  readonly jobRow: number;
}

export const dynamicEventOf = (
  logged: LogEvent,
  { schemaVersion, event, maxAgeDays, bulk }: DynamicPopRecorded,
): DynamicEvent => ({
  source: sourceOf(logged),
  schemaVersion,
  event,
  maxAgeDays,
  jobId: bulk?.jobId ?? '',
  jobRow: bulk?.row ?? 0,
});

/** How a play was sent; columns of its receipt. */
export interface PlayOrigin {
  readonly schema_version: string;
  readonly job_id: string;
  readonly job_row: number;
}

/** A play that was pushed in the canonical schema. */
export const canonicalOrigin: PlayOrigin = { schema_version: '', job_id: '', job_row: 0 };

export const originOf = ({ schemaVersion, jobId, jobRow }: DynamicEvent): PlayOrigin => ({
  schema_version: schemaVersion,
  job_id: jobId,
  job_row: jobRow,
});

/** What the mapping of an event depends on. Both parts know their former states, so an event can be mapped as of a log position. */
export interface MappingState {
  readonly registry: Registry;
  readonly mappings: Mappings;
}

export interface MappedPlay {
  readonly play: PopRecorded;
  /** Version of the mapping that fitted. */
  readonly version: number;
}

/** Why an event waits in quarantine. */
export interface WaitReason extends MappingFailure {
  /** Empty while no mapping finds an id in the event. */
  readonly eventId: string;
  /** Screens without a known time zone, sorted. */
  readonly screens: readonly string[];
}

const noMapping: MappingFailure = { code: 'no_mapping', reason: 'no mapping is registered for this schema version' };

/**
 * Maps an event by the version in force at its own log position; when that one does not fit, by the first later version that does
 * (decisions 4.8). `asOf` limits mappings and registry to what the log held up to that position; without it all of memory counts. An
 * event that no version fits waits for the reason that the newest version gives.
 */
export const mapDynamicEvent = (
  { registry, mappings }: MappingState,
  { source, schemaVersion, event, maxAgeDays }: DynamicEvent,
  asOf?: bigint,
): MappedPlay | WaitReason => {
  const { network_id: network, vendor, received_at: receivedAtMs } = source;
  const versions = mappingVersions(mappings, vendor, schemaVersion).filter(
    ({ knownFrom }) => asOf === undefined || knownFrom <= asOf,
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
    if ('play' in mapped) return { play: mapped.play, version };
    failure = mapped.unfit;
    eventId = mapped.eventId ?? eventId;
  }
  return { ...failure, eventId, screens: [...screensWithoutZone].sort() };
};
