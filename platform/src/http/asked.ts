import type { Principal } from '../auth/principal.ts';
import type { Log } from '../telemetry/index.ts';

/** Fields of a query or a form: a repeated one is an array, in order. */
export type FormFields = Readonly<Record<string, string | readonly string[]>>;

/** A request, as a route sees it. */
export interface RouteRequest {
  readonly params: Readonly<Record<string, string>>;
  readonly query: FormFields;
  /** Path and query as they were sent, nothing decoded. */
  readonly url: string;
  /** By name in any case; a header that came several times is joined by commas. */
  header(name: string): string | undefined;
  /** The parsed JSON value, or the fields of the form; undefined when the route reads no body. */
  readonly body: unknown;
  /** The body as sent, after decompression. */
  readonly bodyBytes: Buffer;
  /** The body as it comes, on routes that read it so; to be taken once. Ends with a refusal when the sender stops. */
  readonly bodyChunks: AsyncIterable<Buffer>;
  /** Undefined only on public routes. */
  readonly principal: Principal | undefined;
  readonly requestId: string;
  /** Address of who is connected: a proxy's, where one stands before us. */
  readonly remoteAddress: string;
  /** Counts events against the rate of the key; throws RATE_LIMITED. Free where no rate holds. */
  consumeEventQuota(count: number): void;
  /** Aborted when the caller goes away before the answer is complete. */
  readonly signal: AbortSignal;
  readonly log: Log;
}
