export { compileMapping, type MapEvent, mapEvent } from './compile-mapping.ts';
export type { Mapped, Surroundings, Unfit, UnfitCode } from './mapped.ts';
export {
  emptyMappings,
  foldMapping,
  mappingInForce,
  type Mappings,
  mappingsInForce,
  type MappingVersion,
  mappingVersions,
} from './mappings.ts';
export { type FieldTrial, mayNeedZones, tryMapping } from './try-mapping.ts';
