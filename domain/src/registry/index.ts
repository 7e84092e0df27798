export {
  currentEntities,
  currentEntity,
  emptyRegistry,
  entitiesAt,
  type EntityVersion,
  networkOf,
  networkOfCamera,
  networkOfDevice,
  networkOfFeeder,
  nextEffectiveMs,
  type Position,
  type Registry,
  versionAt,
  versionsAt,
} from './registry.ts';
export { type ChangedRange, diffSegments, type Segment, segmentAt, type SegmentDiff } from './segments.ts';
export { devicePlaces, feederPlaces, type FeederSegment, type PlaceSegment, screenPlaces } from './places.ts';
export { foldRegistry, type RegistryEvent } from './fold-registry.ts';
export { listScreens, screenRegisteredFromMs, screenZone } from './screens.ts';
export { isRetired, networkNameKey, registryKey } from './entities.ts';
export { affectedPlaces, type AffectedDevice, type AffectedPlaces } from './affected-places.ts';
export { thresholdVersions, type ThresholdVersion } from './threshold-versions.ts';
export { knownIds, type KnownIds } from './known-ids.ts';
export { createNearestIds, type NearestIds } from './nearest-ids.ts';
export {
  outcomeOf,
  planRegistry,
  type PlannedChange,
  type PlanOptions,
  type RegistryPlan,
} from './plan/plan-registry.ts';
