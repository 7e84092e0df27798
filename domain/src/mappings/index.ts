export { compileMapping, type MapEvent, mapEvent } from './compile-mapping.ts';
export {
  type MappingContext,
  type MappingFailure,
  type MappingFailureCode,
  mappingFailureCodes,
  type MappingResult,
} from './mapping-result.ts';
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
export { zoneOffset } from './time-reader.ts';
