export { openDiskObjectStore } from './disk-object-store.ts';
export {
  type CreateUploadTarget,
  type ExternalObjectStore,
  type ObjectMetadata,
  ObjectNotFound,
  type ObjectStore,
  ObjectTooLarge,
  type ReceivedObject,
  type ReceivingObjectStore,
  type UploadTarget,
  type UploadTargetRequest,
} from './port.ts';
export {
  objectVariables,
  type ObjectVariables,
  openObjectStore,
  openS3ObjectStore,
  parseUploadSigningKeys,
  requireAllS3Variables,
  uploadVariables,
  type UploadVariables,
} from './configuration.ts';
export type { S3Access } from './s3-object-store.ts';
export { createUploadUrls, type UploadGrant, type UploadUrlOptions, type UploadUrls } from './upload-urls.ts';
