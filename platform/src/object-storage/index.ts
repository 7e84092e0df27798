export { openDiskObjectStore } from './disk-objects.ts';
export { ObjectNotFound, ObjectTooLarge } from './errors.ts';
export {
  requireAllS3Variables,
  objectVariables,
  type ObjectVariables,
  openObjectStore,
  openS3ObjectStore,
} from './open-objects.ts';
export type {
  ExternalObjectStore,
  ObjectMetadata,
  ObjectStore,
  ReceivedObject,
  ReceivingObjectStore,
  UploadTarget,
  UploadTargetRequest,
  CreateUploadTarget,
} from './port.ts';
export type { S3Access } from './s3-client.ts';
export type { UploadGrant } from './signed-address.ts';
export { createUploadUrls, type UploadUrls, type UploadUrlOptions } from './upload-addresses.ts';
export { parseUploadSigningKeys, uploadVariables, type UploadVariables } from './upload-variables.ts';
