export { compileMapping, type MapEvent, mapEvent } from './compile-mapping.ts';
export { type MappingContext, type MappingFailure, type MappingResult } from './mapping-result.ts';
export {
  emptyMappings,
  foldMapping,
  foldMappingEvent,
  mappingInForce,
  type Mappings,
  mappingsInForce,
  type MappingVersion,
  mappingVersions,
} from './mapping-versions.ts';
export { findMissingColumns, type MissingColumn } from './missing-columns.ts';
export { type SampleReport, type SampleRow, testMapping } from './test-mapping.ts';
export { type FieldTrial, mayNeedDeviceZone } from './try-mapping.ts';
