import { createHmac, timingSafeEqual } from 'node:crypto';
import { BULK_FORMATS, bulkContentTypes, type BulkFormat } from '@popsvc/contracts/bulk';
import type { Secret } from '../config/index.ts';
import type { CreateUploadTarget } from './port.ts';

/** What a vendor is told to do with an address. */
export const instructionsFor = (format: BulkFormat): string =>
  `Send the file as it is, not compressed, by HTTP PUT to uploadUrl, with the header Content-Type: ${bulkContentTypes[format]}. ` +
  'Ingest it when the answer is 200.';

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
const signUpload = (secrets: readonly Secret[], grant: UploadGrant): string =>
  addressOf(grant, signature(secrets[0]!, grant));

const form = new RegExp(
  `^/(?<key>uploads/[1-9][0-9]{0,15}/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})` +
    `\\?format=(?<format>${BULK_FORMATS.join('|')})&expires=(?<expires>[1-9][0-9]{0,15})&signature=(?<signature>[\\w-]{43})$`,
);

/**
 * What an address lets in, if one of the secrets signed it; undefined for any other. The address is taken as it was sent: one
 * that is written in any other way, encoded again, with a parameter more or twice, is not the one that was signed.
 */
const readUpload = (secrets: readonly Secret[], address: string): UploadGrant | undefined => {
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

/** Addresses of uploads that come to this service. */
export interface UploadUrls {
  readonly createTarget: CreateUploadTarget;
  /** What an address lets in, told by its path and query as sent; undefined when it is not one of ours. */
  readonly verifyUrl: (url: string) => UploadGrant | undefined;
}

export interface UploadUrlOptions {
  /** The first one signs; any of them is accepted, so that they can be changed while addresses are out. */
  readonly secrets: readonly Secret[];
  /** Of the service, as vendors reach it. Asked late: a port may be known only when the service listens. */
  readonly publicUrl: () => string;
  /** Path under which the service takes uploads. */
  readonly path: string;
}

export const createUploadUrls = ({ secrets, publicUrl, path }: UploadUrlOptions): UploadUrls => ({
  createTarget: (key, { format, expiresAtMs }) =>
    Promise.resolve({
      url: `${publicUrl().replace(/\/+$/, '')}${path}${signUpload(secrets, { key, format, expiresAtMs })}`,
      instructions: instructionsFor(format),
    }),
  verifyUrl: (url) => (url.startsWith(`${path}/`) ? readUpload(secrets, url.slice(path.length)) : undefined),
});
