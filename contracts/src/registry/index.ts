export {
  type BusinessHours,
  DAYS,
  type EntityOf,
  RegistryFile,
  type RegistryKind,
  registryKindNames,
  registryKinds,
  Zone,
} from './registry-file.ts';
