export { openDiskObjects } from './disk-objects.ts';
export { NoSuchObject, ObjectTooLarge } from './errors.ts';
export { allOfS3OrNone, objectVariables, type ObjectVariables, openObjects, openS3Objects } from './open-objects.ts';
export type {
  ExternalStore,
  ObjectFacts,
  ObjectStore,
  Received,
  ReceivingStore,
  Target,
  TargetAsked,
  UploadTarget,
} from './port.ts';
export type { S3Access } from './s3-client.ts';
export type { UploadGrant } from './signed-address.ts';
export { uploadAddresses, type UploadAddresses, type UploadAddressesParts } from './upload-addresses.ts';
export { signingKeysOf, uploadVariables, type UploadVariables } from './upload-variables.ts';
