import { createHmac, timingSafeEqual } from 'node:crypto';
import { BULK_FORMATS, bulkContentTypes, type BulkFormat } from '@popsvc/contracts/bulk';
import type { Secret } from '../config/index.ts';
import type { CreateUploadTarget } from './port.ts';

/** Returns the instructions for the client that uploads a file to this service, or directly to an external object store. */
export const instructionsFor = (format: BulkFormat, target: 'service' | 'external'): string =>
  `Send the file ${target === 'external' ? 'uncompressed ' : ''}by HTTP PUT to uploadUrl, ` +
  `with the header Content-Type: ${bulkContentTypes[format]}. ` +
  (target === 'service' ? 'If it is compressed, add the header Content-Encoding: gzip or zstd. ' : '') +
  'After a response with status 200, ingest the file.';

/** The upload that a URL permits: one file in one format, until the URL expires. */
export interface UploadGrant {
  /** Key of the object: `uploads/{network}/{fileId}`. */
  readonly key: string;
  readonly format: BulkFormat;
  readonly expiresAtMs: number;
}

const signature = (secret: Secret, { key, format, expiresAtMs }: UploadGrant): Buffer =>
  createHmac('sha256', secret.reveal())
    .update(['popsvc-upload-1', 'PUT', key, bulkContentTypes[format], String(expiresAtMs)].join('\n'))
    .digest();

/**
 * Builds the path and query of an upload URL, relative to the upload route. They contain only characters that no client
 * re-encodes.
 */
const formatUploadPath = ({ key, format, expiresAtMs }: UploadGrant, signed: Buffer): string =>
  `/${key}?format=${format}&expires=${expiresAtMs}&signature=${signed.toString('base64url')}`;

/** Signs an upload path with the first secret. The other secrets are only used for verification. */
const signUploadPath = (secrets: readonly Secret[], grant: UploadGrant): string =>
  formatUploadPath(grant, signature(secrets[0]!, grant));

const uploadPathFormat = new RegExp(
  `^/(?<key>uploads/[1-9][0-9]{0,15}/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})` +
    `\\?format=(?<format>${BULK_FORMATS.join('|')})&expires=(?<expires>[1-9][0-9]{0,15})&signature=(?<signature>[\\w-]{43})$`,
);

/**
 * Returns the grant of an upload path if the path was signed with one of the secrets; otherwise undefined. The path is compared
 * exactly as it was sent, so a re-encoded path, or one with additional or repeated parameters, is rejected.
 */
const verifyUploadPath = (secrets: readonly Secret[], path: string): UploadGrant | undefined => {
  const parts = uploadPathFormat.exec(path)?.groups;
  if (!parts) return undefined;
  const grant = {
    key: parts['key']!,
    format: parts['format'] as BulkFormat,
    expiresAtMs: Number(parts['expires']),
  };
  const sent = Buffer.from(parts['signature']!, 'base64url');
  // All secrets are compared, so that the response time does not reveal which one matches.
  const matches = secrets.map((secret) => timingSafeEqual(signature(secret, grant), sent));
  // The last base64url character has unused bits, so several strings decode to the same bytes. Only the canonical one is accepted.
  return matches.includes(true) && sent.toString('base64url') === parts['signature'] ? grant : undefined;
};

/** Creates and verifies signed URLs for uploads to this service. */
export interface UploadUrls {
  readonly createTarget: CreateUploadTarget;
  /**
   * Returns the grant of a URL, or undefined if this service did not sign the URL. `url` is the path and query exactly as the
   * client sent them.
   */
  readonly verifyUrl: (url: string) => UploadGrant | undefined;
}

export interface UploadUrlOptions {
  /**
   * The first secret signs new URLs. Signatures with any of the secrets are accepted, so that issued URLs stay valid while a secret
   * is replaced.
   */
  readonly secrets: readonly Secret[];
  /**
   * Returns the base URL that vendors use to reach the service. A function, because the server may get its port from the operating
   * system only when it starts to listen.
   */
  readonly publicUrl: () => string;
  readonly path: string;
}

export const createUploadUrls = ({ secrets, publicUrl, path }: UploadUrlOptions): UploadUrls => ({
  createTarget: (key, { format, expiresAtMs }) =>
    Promise.resolve({
      url: `${publicUrl().replace(/\/+$/, '')}${path}${signUploadPath(secrets, { key, format, expiresAtMs })}`,
      instructions: instructionsFor(format, 'service'),
    }),
  verifyUrl: (url) => (url.startsWith(`${path}/`) ? verifyUploadPath(secrets, url.slice(path.length)) : undefined),
});
