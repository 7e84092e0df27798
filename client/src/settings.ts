import type { Clock, Fetch } from './http/transport.ts';

/** A partner's client credentials, or a vendor's API key. */
export type Credentials =
  | { readonly clientId: string; readonly clientSecret: string; readonly apiKey?: undefined }
  | { readonly apiKey: string; readonly clientId?: undefined; readonly clientSecret?: undefined };

export interface ServiceUrls {
  /** URL of the reporting service: `https://reports.example.com`. */
  readonly baseUrl?: string | undefined;
  /** URL of the ingestion service; required to push. */
  readonly ingestUrl?: string | undefined;
  /** URL of the token endpoint; default: `/oauth/token` of the reporting service. */
  readonly tokenUrl?: string | undefined;
}

export interface ClientOptions {
  /** How long a request is retried while the service is unavailable or asks to retry later, in ms; default 60,000. */
  readonly retryTimeoutMs?: number | undefined;
  /** Timeout of one attempt in ms; default 120,000. Applies to a download until it begins; an upload has at least 30 minutes. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly fetch?: Fetch | undefined;
}

export type ClientSettings = ServiceUrls & Credentials & ClientOptions;

/** Validates a URL. A URL with user and password is rejected, because the error of fetch would contain the password. */
export const validateUrl = (address: string, name: keyof ServiceUrls): string => {
  const { protocol, username, password } = URL.canParse(address) ? new URL(address) : new URL('none:');
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '')
    throw new TypeError(`${name} of createClient must be an http or https URL without user name and password`);
  return address;
};

/** Returns a required URL without trailing slashes. */
export const requireUrl = (addresses: ServiceUrls, name: 'baseUrl' | 'ingestUrl'): string => {
  const address = addresses[name];
  if (address === undefined) throw new TypeError(`this call needs ${name}; pass it to createClient`);
  return validateUrl(address, name).replace(/\/+$/, '');
};
