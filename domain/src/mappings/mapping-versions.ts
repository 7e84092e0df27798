import type { MappingRegistered } from '@popsvc/contracts/events';
import type { Mapping } from '@popsvc/contracts/mappings';
import { compileMapping, type MapEvent } from './compile-mapping.ts';

/** A registered mapping. */
export interface MappingVersion {
  /** Number of the mapping among those of its vendor and schema version, in the order of registration. */
  readonly version: number;
  readonly network: number;
  readonly mapping: Mapping;
  /** `mapping`, compiled. */
  readonly map: MapEvent;
  /** Log position of the registration, from which on the mapping is in force. */
  readonly position: bigint;
  /** Log position from which on readers know the mapping: `position`, or a later one if the event was parked at first. */
  readonly knownFrom: bigint;
}

/** All registered mappings, built by `foldMapping`. */
export interface Mappings {
  /** The mappings of each vendor and schema version in log order; for the keys see `keyOf`. */
  readonly versions: Map<string, MappingVersion[]>;
}

export const emptyMappings = (): Mappings => ({ versions: new Map() });

/** Returns the key of a vendor and schema version; it is unambiguous, since a vendor code contains no space. */
const keyOf = (vendor: string, schemaVersion: string): string => `${vendor} ${schemaVersion}`;

/** Applies one event to the mappings, which are changed in place and returned; an event that is already folded changes nothing. */
export const foldMapping = (
  mappings: Mappings,
  { network, version, mapping }: MappingRegistered,
  position: bigint,
  knownFrom = position,
): Mappings => {
  const key = keyOf(mapping.vendor, mapping.schema_version);
  const known = mappings.versions.get(key) ?? [];
  if (known.some((earlier) => earlier.position >= position)) return mappings;
  const added = { version, network, mapping, map: compileMapping(mapping), position, knownFrom };
  mappings.versions.set(key, [...known, added]);
  return mappings;
};

/** All mappings of a vendor and schema version, in log order. */
export const mappingVersions = (mappings: Mappings, vendor: string, schemaVersion: string): readonly MappingVersion[] =>
  mappings.versions.get(keyOf(vendor, schemaVersion)) ?? [];

/** The latest mapping of a vendor and schema version. */
export const mappingInForce = (mappings: Mappings, vendor: string, schemaVersion: string): MappingVersion | undefined =>
  mappingVersions(mappings, vendor, schemaVersion).at(-1);

/** The latest mapping of each vendor and schema version, in the order of their first registration. */
export const mappingsInForce = (mappings: Mappings): readonly MappingVersion[] =>
  [...mappings.versions.values()].flatMap((versions) => versions.at(-1) ?? []);
