import { MappingRegistered } from '@popsvc/contracts/events';
import type { Mapping } from '@popsvc/contracts/mappings';
import { compileMapping, type MapEvent } from './compile-mapping.ts';

export interface MappingVersion {
  /** Counted from 1 for each vendor and schema version, in the order of registration. */
  readonly version: number;
  readonly network: number;
  readonly mapping: Mapping;
  readonly map: MapEvent;
  /** Log position of the registration. */
  readonly position: bigint;
}

export interface Mappings {
  /** By `keyOf`, in log order. */
  readonly versions: Map<string, MappingVersion[]>;
}

export const emptyMappings = (): Mappings => ({ versions: new Map() });

/** Unambiguous, since a vendor code contains no space. */
const keyOf = (vendor: string, schemaVersion: string): string => `${vendor} ${schemaVersion}`;

/** Changes `mappings`, unless this mapping or a later one of the same vendor and schema version was added before. */
export const foldMapping = (
  mappings: Mappings,
  { network, version, mapping }: MappingRegistered,
  position: bigint,
): Mappings => {
  const key = keyOf(mapping.vendor, mapping.schema_version);
  const known = mappings.versions.get(key) ?? [];
  if (known.some((earlier) => earlier.position >= position)) return mappings;
  const added = { version, network, mapping, map: compileMapping(mapping), position };
  mappings.versions.set(key, [...known, added]);
  return mappings;
};

/** Returns the error if the mapping cannot be read, for example because a newer release registered it before a rollback. */
export const foldMappingEvent = (
  mappings: Mappings,
  event: { readonly data: unknown; readonly metadata: { readonly schemaVersion: number }; readonly position: bigint },
): unknown => {
  try {
    foldMapping(mappings, MappingRegistered.read(event.data, event.metadata.schemaVersion), event.position);
    return undefined;
  } catch (error) {
    return error;
  }
};

/** In log order. */
export const mappingVersions = (mappings: Mappings, vendor: string, schemaVersion: string): readonly MappingVersion[] =>
  mappings.versions.get(keyOf(vendor, schemaVersion)) ?? [];

export const mappingInForce = (mappings: Mappings, vendor: string, schemaVersion: string): MappingVersion | undefined =>
  mappingVersions(mappings, vendor, schemaVersion).at(-1);

/** Returns the latest mapping for each combination of vendor and schema version. */
export const mappingsInForce = (mappings: Mappings): readonly MappingVersion[] =>
  [...mappings.versions.values()].flatMap((versions) => versions.at(-1) ?? []);
