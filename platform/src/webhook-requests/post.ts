import { randomBytes } from 'node:crypto';
import { lookup, type LookupAddress } from 'node:dns';
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { addressOfHost, type AddressRange, classifyAddress } from './internal-addresses.ts';

/** Creates a secret with 256 bits of entropy, in the format of Standard Webhooks. */
export const createWebhookSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** `id`: the id of the notice, which is the same in all attempts to deliver it. */
export interface SignedMessage {
  readonly id: string;
  readonly body: string;
  readonly sentAtMs: number;
}

/** The headers have one signature for each secret, so a receiver can use the previous secret until it stores the new one. */
export const signWebhook = (
  { id, body, sentAtMs }: SignedMessage,
  secrets: readonly string[],
): Readonly<Record<string, string>> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(sentAtMs / 1_000)),
  'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, new Date(sentAtMs), body)).join(' '),
});

export type PostResult = { readonly status: number } | { readonly error: string };

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Never throws, follows no redirects, and opens no connection to an internal address that the operator has not opened. */
export type PostWebhook = (request: PostRequest) => Promise<PostResult>;

export type ResolveHost = (hostname: string) => Promise<readonly LookupAddress[]>;

export interface PostOptions {
  /** Ranges of internal addresses that may be reached. Plain HTTP is possible only there. */
  readonly opened: readonly AddressRange[];
  /** In ms, from the look-up of the host to the headers of the response; default 10 s. */
  readonly timeoutMs?: number;
  readonly resolve?: ResolveHost;
}

class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

const maxResponseBytes = 65_536;

const resolveWithSystem: ResolveHost = (hostname) =>
  new Promise((resolve, reject) =>
    lookup(hostname, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses))),
  );

const requireReachable = (
  { protocol, hostname }: URL,
  addresses: readonly string[],
  opened: readonly AddressRange[],
): void => {
  const classes = new Set(addresses.map((address) => classifyAddress(address, opened)));
  if (classes.has('internal')) throw new RefusedAddress(`${hostname} is at an internal address`);
  if (classes.has('public') && protocol !== 'https:') throw new RefusedAddress('the URL must begin with https://');
};

/** The connection is opened to one of the checked addresses; the name is not resolved a second time. */
const checkedLookup =
  (url: URL, { opened, resolve }: { opened: readonly AddressRange[]; resolve: ResolveHost }): LookupFunction =>
  (hostname, { all }, callback) => {
    const find = async () => {
      const addresses = await resolve(hostname);
      const [first] = addresses;
      if (!first) throw new Error(`${hostname} has no address`);
      requireReachable(
        url,
        addresses.map(({ address }) => address),
        opened,
      );
      return { first, addresses };
    };
    find().then(
      ({ first, addresses }) => (all ? callback(null, [...addresses]) : callback(null, first.address, first.family)),
      (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
    );
  };

/** Subscribers see these messages, so they omit what the look-up found, which could be an address of the internal network. */
const describeFailure = (error: unknown): string => {
  if (error instanceof RefusedAddress) return error.message;
  const code = (error as NodeJS.ErrnoException).code;
  return code ? `the connection failed: ${code}` : 'the connection failed';
};

/** Each request opens a connection of its own, so that its address is checked. */
export const createWebhookPost = ({
  opened,
  timeoutMs = 10_000,
  resolve = resolveWithSystem,
}: PostOptions): PostWebhook => {
  const send = (url: URL, { headers, body }: PostRequest, signal: AbortSignal) =>
    new Promise<number>((done, reject) => {
      const address = addressOfHost(url);
      if (address !== undefined) requireReachable(url, [address], opened);
      const options: RequestOptions = {
        method: 'POST',
        agent: false,
        signal,
        lookup: checkedLookup(url, { opened, resolve }),
        headers: {
          ...headers,
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(body)),
          'user-agent': 'popsvc-webhooks',
        },
      };
      const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, (response) => {
        let bytes = 0;
        response.on('data', (part: Buffer) => {
          bytes += part.length;
          if (bytes > maxResponseBytes) response.destroy();
        });
        response.on('error', () => undefined);
        const bodyTimer = setTimeout(() => response.destroy(), timeoutMs).unref();
        response.once('close', () => clearTimeout(bodyTimer));
        done(response.statusCode ?? 0);
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  return async (request) => {
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    try {
      return { status: await send(new URL(request.url), request, AbortSignal.any([request.signal, timeout.signal])) };
    } catch (error) {
      return { error: timeout.signal.aborted ? `no response within ${timeoutMs / 1_000} s` : describeFailure(error) };
    } finally {
      clearTimeout(timer);
    }
  };
};
