import type { Clock, Fetch } from './http/transport.ts';

/** A partner's client credentials, or a vendor's API key. */
export type Credentials =
  | { readonly clientId: string; readonly clientSecret: string; readonly apiKey?: undefined }
  | { readonly apiKey: string; readonly clientId?: undefined; readonly clientSecret?: undefined };

export interface ServiceUrls {
  /** URL of the reporting service, such as `https://reports.example.com`; required to read reports. */
  readonly baseUrl?: string | undefined;
  /** URL of the ingestion service; required to push items, ingest files, reconcile plays and call `eventStatus`. */
  readonly ingestUrl?: string | undefined;
  /** URL of the token endpoint. Defaults to `/oauth/token` of the reporting service. */
  readonly tokenUrl?: string | undefined;
}

export interface ClientOptions {
  /** How long the client keeps retrying a request while the service is unavailable or asks it to retry later, in ms. Default: 60,000. */
  readonly retryTimeoutMs?: number | undefined;
  /**
   * Timeout of one attempt in ms. Default: 120,000. For a download, it covers only the time until the response begins. The
   * timeout of an upload is at least 30 minutes.
   */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly fetch?: Fetch | undefined;
}

export type ClientSettings = ServiceUrls & Credentials & ClientOptions;

/**
 * Returns the URL unchanged. Throws a TypeError if it is not an http or https URL, or if it contains a user name or a password. Error
 * messages of `fetch` would reveal these.
 */
export const validateUrl = (address: string, name: keyof ServiceUrls): string => {
  const { protocol, username, password } = URL.canParse(address) ? new URL(address) : new URL('none:');
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '')
    throw new TypeError(`${name} of createClient must be an http or https URL without user name and password`);
  return address;
};

/** Returns the URL that a call needs, without trailing slashes. Throws a TypeError if the URL is not set or not valid. */
export const requireUrl = (addresses: ServiceUrls, name: 'baseUrl' | 'ingestUrl'): string => {
  const address = addresses[name];
  if (address === undefined) throw new TypeError(`this call needs ${name}; pass it to createClient`);
  return validateUrl(address, name).replace(/\/+$/, '');
};
