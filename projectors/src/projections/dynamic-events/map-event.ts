import type { DynamicPopRecorded, PopRecorded } from '@popsvc/contracts/events';
import { type MappingFailure, type Mappings, mappingVersions } from '@popsvc/domain/mappings';
import { type Registry, screenZone } from '@popsvc/domain/registry';
import type { LogEvent } from '@popsvc/platform/event-store';
import { type Source, sourceOf } from '../rows/fact-rows.ts';

/** An event of a vendor's own schema, and all that decides which play it is. */
export interface SentEvent {
  readonly source: Source;
  readonly schemaVersion: string;
  readonly event: unknown;
  readonly maxAgeDays: number | undefined;
  readonly jobId: string;
  readonly jobRow: number;
}

/** How a play came, as its receipt keeps it. */
export interface Origin {
  readonly schema_version: string;
  readonly job_id: string;
  readonly job_row: number;
}

/** Pushed in the canonical schema. */
export const pushed: Origin = { schema_version: '', job_id: '', job_row: 0 };

export const originOf = ({ schemaVersion, jobId, jobRow }: SentEvent): Origin => ({
  schema_version: schemaVersion,
  job_id: jobId,
  job_row: jobRow,
});

export const sentEvent = (
  logged: LogEvent,
  { schemaVersion, event, maxAgeDays, bulk }: DynamicPopRecorded,
): SentEvent => ({
  source: sourceOf(logged),
  schemaVersion,
  event,
  maxAgeDays,
  jobId: bulk?.jobId ?? '',
  jobRow: bulk?.row ?? 0,
});

/** What the log told so far, and may have told since: whoever asks says up to which position. */
export interface Known {
  readonly registry: Registry;
  readonly mappings: Mappings;
}

export interface Fitted {
  readonly play: PopRecorded;
  /** Of the mapping. */
  readonly version: number;
}

/** Why an event waits. */
export interface Waiting extends MappingFailure {
  /** Empty while no mapping tells it. */
  readonly eventId: string;
  /** Screens whose zone was asked for in vain. */
  readonly screens: readonly string[];
}

const noMapping: MappingFailure = { code: 'no_mapping', reason: 'no mapping is registered for this schema version' };

/**
 * Maps an event by the version in force at its own position, else by the first later one that fits (decisions 4.8), as the
 * log stood at `asOf`; without it, as it stands in memory. What is told of one that fits none is what the newest version says.
 */
export const tryMappings = ({ registry, mappings }: Known, sent: SentEvent, asOf?: bigint): Fitted | Waiting => {
  const { source, schemaVersion, event, maxAgeDays } = sent;
  const { network_id: network, vendor, received_at: receivedAtMs } = source;
  const versions = mappingVersions(mappings, vendor, schemaVersion).filter(
    ({ knownFrom }) => asOf === undefined || knownFrom <= asOf,
  );
  const inForce = versions.findLastIndex(({ position }) => position < source.pos);
  const screens = new Set<string>();
  const zoneOf = (screen: string, atMs: number) => {
    const zone = screenZone(registry, network, screen, atMs, asOf);
    if (zone === undefined) screens.add(screen);
    return zone;
  };
  let unfit = noMapping;
  let eventId = '';
  for (const { version, map } of versions.slice(Math.max(0, inForce))) {
    const mapped = map(event, { receivedAtMs, maxAgeDays, zoneOf });
    if ('play' in mapped) return { play: mapped.play, version };
    unfit = mapped.unfit;
    eventId = mapped.eventId ?? eventId;
  }
  return { ...unfit, eventId, screens: [...screens].sort() };
};
