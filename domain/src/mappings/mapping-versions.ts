import type { MappingRegistered } from '@popsvc/contracts/events';
import type { Mapping } from '@popsvc/contracts/mappings';
import { compileMapping, type MapEvent } from './compile-mapping.ts';

/** A mapping as the log told it. */
export interface MappingVersion {
  /** Counts the mappings of one vendor and schema version. */
  readonly version: number;
  readonly network: number;
  readonly mapping: Mapping;
  /** The mapping at work. */
  readonly map: MapEvent;
  /** From where in the log on it is in force. */
  readonly position: bigint;
  /** From where on it is known: its position, or further on where it was set aside at first. */
  readonly knownFrom: bigint;
}

/** All mappings the log told of. Built by `foldMapping`. */
export interface Mappings {
  /** By vendor and schema version, each in the order of the log. */
  readonly versions: Map<string, MappingVersion[]>;
}

export const emptyMappings = (): Mappings => ({ versions: new Map() });

/** A vendor code holds no blank. */
const keyOf = (vendor: string, schemaVersion: string): string => `${vendor} ${schemaVersion}`;

/** Takes one event of the log into the mappings, which it changes and returns; what is told again changes nothing. */
export const foldMapping = (
  mappings: Mappings,
  { network, version, mapping }: MappingRegistered,
  position: bigint,
  knownFrom = position,
): Mappings => {
  const key = keyOf(mapping.vendor, mapping.schema_version);
  const known = mappings.versions.get(key) ?? [];
  if (known.some((earlier) => earlier.position >= position)) return mappings;
  const told = { version, network, mapping, map: compileMapping(mapping), position, knownFrom };
  mappings.versions.set(key, [...known, told]);
  return mappings;
};

/** Every mapping of a vendor and schema version, in the order of the log. */
export const mappingVersions = (mappings: Mappings, vendor: string, schemaVersion: string): readonly MappingVersion[] =>
  mappings.versions.get(keyOf(vendor, schemaVersion)) ?? [];

/** The newest of them. */
export const mappingInForce = (mappings: Mappings, vendor: string, schemaVersion: string): MappingVersion | undefined =>
  mappingVersions(mappings, vendor, schemaVersion).at(-1);

/** The newest mapping of every vendor and schema version, in the order in which the log first told of them. */
export const mappingsInForce = (mappings: Mappings): readonly MappingVersion[] =>
  [...mappings.versions.values()].flatMap((versions) => versions.at(-1) ?? []);
