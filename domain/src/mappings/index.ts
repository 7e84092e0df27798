export { compileMapping, type MapEvent, mapEvent } from './compile-mapping.ts';
export type { MappingResult, MappingContext, MappingFailure, MappingFailureCode } from './mapped.ts';
export {
  emptyMappings,
  foldMapping,
  mappingInForce,
  type Mappings,
  mappingsInForce,
  type MappingVersion,
  mappingVersions,
} from './mappings.ts';
export { type FieldTrial, mayNeedDeviceZone, tryMapping } from './try-mapping.ts';
