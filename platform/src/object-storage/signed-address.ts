import { createHmac, timingSafeEqual } from 'node:crypto';
import { BULK_FORMATS, type BulkFormat, bulkContentTypes } from '@popsvc/contracts/bulk';
import type { Secret } from '../config/index.ts';

/** What an address lets in: one file of one format, until an instant. */
export interface UploadGrant {
  /** `uploads/{network}/{fileId}` */
  readonly key: string;
  readonly format: BulkFormat;
  readonly expiresAtMs: number;
}

const signature = (secret: Secret, { key, format, expiresAtMs }: UploadGrant): Buffer =>
  createHmac('sha256', secret.reveal())
    .update(['popsvc-upload-1', 'PUT', key, bulkContentTypes[format], String(expiresAtMs)].join('\n'))
    .digest();

/** Path and query of an address, from the root of the upload route; written with characters alone that no client encodes anew. */
const addressOf = ({ key, format, expiresAtMs }: UploadGrant, signed: Buffer): string =>
  `/${key}?format=${format}&expires=${expiresAtMs}&signature=${signed.toString('base64url')}`;

/** Signs with the first of the secrets. */
export const signUpload = (secrets: readonly Secret[], grant: UploadGrant): string =>
  addressOf(grant, signature(secrets[0]!, grant));

const form = new RegExp(
  `^/(?<key>uploads/[1-9][0-9]{0,15}/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})` +
    `\\?format=(?<format>${BULK_FORMATS.join('|')})&expires=(?<expires>[1-9][0-9]{0,15})&signature=(?<signature>[\\w-]{43})$`,
);

/**
 * What an address lets in, if one of the secrets signed it; undefined for any other. The address is taken as it was sent: one
 * that is written in any other way, encoded again, with a parameter more or twice, is not the one that was signed.
 */
export const readUpload = (secrets: readonly Secret[], address: string): UploadGrant | undefined => {
  const told = form.exec(address)?.groups;
  if (!told) return undefined;
  const grant = {
    key: told['key']!,
    format: told['format'] as BulkFormat,
    expiresAtMs: Number(told['expires']),
  };
  const sent = Buffer.from(told['signature']!, 'base64url');
  // All are compared, so that the time tells nothing; the last character of a signature has bits that do not count.
  const matches = secrets.map((secret) => timingSafeEqual(signature(secret, grant), sent));
  return matches.includes(true) && sent.toString('base64url') === told['signature'] ? grant : undefined;
};
