import type { Secret } from '../config/index.ts';
import { instructionsFor } from './instructions.ts';
import type { UploadTarget } from './port.ts';
import { readUpload, signUpload, type UploadGrant } from './signed-address.ts';

/** Addresses of uploads that come to this service. */
export interface UploadAddresses {
  readonly target: UploadTarget;
  /** What an address lets in, told by its path and query as sent; undefined when it is not one of ours. */
  readonly read: (url: string) => UploadGrant | undefined;
}

export interface UploadAddressesParts {
  /** The first one signs; any of them is accepted, so that they can be changed while addresses are out. */
  readonly secrets: readonly Secret[];
  /** Of the service, as vendors reach it. Asked late: a port may be known only when the service listens. */
  readonly publicUrl: () => string;
  /** Path under which the service takes uploads. */
  readonly path: string;
}

export const uploadAddresses = ({ secrets, publicUrl, path }: UploadAddressesParts): UploadAddresses => ({
  target: (key, { format, expiresAtMs }) =>
    Promise.resolve({
      url: `${publicUrl().replace(/\/+$/, '')}${path}${signUpload(secrets, { key, format, expiresAtMs })}`,
      instructions: instructionsFor(format),
    }),
  read: (url) => (url.startsWith(`${path}/`) ? readUpload(secrets, url.slice(path.length)) : undefined),
});
