export {
  type BusinessHours,
  Code,
  DAYS,
  type EntityOf,
  RegistryFile,
  type RegistryKind,
  registryKindNames,
  registryKinds,
  Zone,
} from './registry-file.ts';
