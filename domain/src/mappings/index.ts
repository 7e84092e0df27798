export { compileMapping, type MapEvent, mapEvent } from './compile-mapping.ts';
export type { MappingResult, MappingContext, MappingFailure, MappingFailureCode } from './mapping-result.ts';
export {
  emptyMappings,
  foldMapping,
  mappingInForce,
  type Mappings,
  mappingsInForce,
  type MappingVersion,
  mappingVersions,
} from './mapping-versions.ts';
export { type FieldTrial, mayNeedDeviceZone, tryMapping } from './try-mapping.ts';
