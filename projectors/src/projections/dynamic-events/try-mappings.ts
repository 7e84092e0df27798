import type { PopRecorded } from '@popsvc/contracts/events';
import { type Mappings, mappingVersions, type MappingFailure } from '@popsvc/domain/mappings';
import { type Registry, screenZone } from '@popsvc/domain/registry';
import type { SentEvent } from './sent-event.ts';

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
