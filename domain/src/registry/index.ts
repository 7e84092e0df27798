export { entitiesAt, nextEffectiveMs } from './at-an-instant.ts';
export { type ChangedRange, diffSegments, type SegmentDiff } from './diff-segments.ts';
export { feederPlaces, type FeederSegment } from './feeder-places.ts';
export { foldRegistry, type RegistryEvent } from './fold-registry.ts';
export {
  deviceOfCamera,
  deviceOfFeeder,
  currentEntities,
  currentEntity,
  networkOf,
  networkOfCamera,
  networkOfDevice,
  networkOfFeeder,
} from './look-ups.ts';
export { type Segment, segmentAt } from './piecewise.ts';
export type { PlaceSegment } from './place.ts';
export { devicePlaces, screenPlaces } from './places.ts';
export { emptyRegistry, type Registry } from './registry.ts';
export { screenRegisteredFromMs, listScreens } from './screens.ts';
export { screenZone } from './screen-zone.ts';
export { registryKey } from './registry-key.ts';
export { affectedPlaces, type AffectedDevice, type AffectedPlaces } from './touched-places.ts';
export { thresholdVersions } from './threshold-versions.ts';
export { networkNameKey } from './network-name.ts';
export { planRegistry, type PlannedChange, type PlanOptions, type RegistryPlan } from './plan/plan-registry.ts';
