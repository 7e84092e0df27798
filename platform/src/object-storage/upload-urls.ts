import { createHmac, timingSafeEqual } from 'node:crypto';
import { BULK_FORMATS, bulkContentTypes, type BulkFormat } from '@popsvc/contracts/bulk';
import type { Secret } from '../config/index.ts';
import type { CreateUploadTarget } from './port.ts';

export const instructionsFor = (format: BulkFormat, target: 'service' | 'external'): string =>
  `Send the file ${target === 'external' ? 'uncompressed ' : ''}by HTTP PUT to uploadUrl, ` +
  `with the header Content-Type: ${bulkContentTypes[format]}. ` +
  (target === 'service' ? 'If it is compressed, add the header Content-Encoding: gzip or zstd. ' : '') +
  'After a response with status 200, ingest the file.';

export interface UploadGrant {
  readonly key: string;
  readonly format: BulkFormat;
  readonly expiresAtMs: number;
}

const signature = (secret: Secret, { key, format, expiresAtMs }: UploadGrant): Buffer =>
  createHmac('sha256', secret.reveal())
    .update(['popsvc-upload-1', 'PUT', key, bulkContentTypes[format], String(expiresAtMs)].join('\n'))
    .digest();

/** The path and query contain only characters that no client re-encodes. */
const formatUploadPath = ({ key, format, expiresAtMs }: UploadGrant, signed: Buffer): string =>
  `/${key}?format=${format}&expires=${expiresAtMs}&signature=${signed.toString('base64url')}`;

const signUploadPath = (secrets: readonly Secret[], grant: UploadGrant): string =>
  formatUploadPath(grant, signature(secrets[0]!, grant));

const uploadPathFormat = new RegExp(
  `^/(?<key>uploads/[1-9][0-9]{0,15}/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})` +
    `\\?format=(?<format>${BULK_FORMATS.join('|')})&expires=(?<expires>[1-9][0-9]{0,15})&signature=(?<signature>[\\w-]{43})$`,
);

/** Compares the path exactly as it was sent, so a re-encoded path, or one with repeated parameters, is rejected. */
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
  // The last base64url character has unused bits, so several strings decode to the same bytes.
  return matches.includes(true) && sent.toString('base64url') === parts['signature'] ? grant : undefined;
};

export interface UploadUrls {
  readonly createTarget: CreateUploadTarget;
  /** `url` is the path and query exactly as the client sent them. Returns undefined if this service did not sign the URL. */
  readonly verifyUrl: (url: string) => UploadGrant | undefined;
}

export interface UploadUrlOptions {
  readonly secrets: readonly Secret[];
  /** A function, because the server may get its port from the operating system only when it starts to listen. */
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
