import type { Clock, Fetch } from './http/transport.ts';

/** Who asks: a partner with a client of its own, or a vendor with an API key. */
export type Credentials =
  | { readonly clientId: string; readonly clientSecret: string; readonly apiKey?: undefined }
  | { readonly apiKey: string; readonly clientId?: undefined; readonly clientSecret?: undefined };

export interface Addresses {
  /** Of the reporting service: `https://reports.example.com`. */
  readonly baseUrl?: string | undefined;
  /** Of the ingestion service; needed to push. */
  readonly ingestUrl?: string | undefined;
  /** Of the token endpoint; default: `/oauth/token` of the reporting service. */
  readonly tokenUrl?: string | undefined;
}

export interface Behaviour {
  /** How long a request is told again while the service is away or asks to come back later, in ms; default 60,000. */
  readonly patienceMs?: number | undefined;
  /** How long one try may take, in ms; default 120,000. Of a download until it begins; of an upload at least 30 minutes. */
  readonly timeoutMs?: number | undefined;
  readonly clock?: Clock | undefined;
  readonly fetch?: Fetch | undefined;
}

export type ClientSettings = Addresses & Credentials & Behaviour;

/** An address that fetch takes. One with a user in it is refused here: fetch would tell the password with its error. */
export const plainAddress = (address: string, name: keyof Addresses): string => {
  const { protocol, username, password } = URL.canParse(address) ? new URL(address) : new URL('none:');
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '')
    throw new TypeError(`createClient needs an http or https address without a user as ${name}`);
  return address;
};

/** Without slashes at its end. */
export const neededAddress = (addresses: Addresses, name: 'baseUrl' | 'ingestUrl'): string => {
  const address = addresses[name];
  if (address === undefined) throw new TypeError(`createClient was not told the ${name}, which this needs`);
  return plainAddress(address, name).replace(/\/+$/, '');
};
