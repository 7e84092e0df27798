import type { Secret } from '../config/index.ts';
import { instructionsFor } from './instructions.ts';
import type { CreateUploadTarget } from './port.ts';
import { readUpload, signUpload, type UploadGrant } from './signed-address.ts';

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
