export { type BusinessHours, DAYS, Zone } from './fields.ts';
export { type EntityOf, registryKindNames, registryKinds, type RegistryKind } from './kinds.ts';
export { RegistryFile } from './registry-file.ts';
