import { hash, randomBytes } from 'node:crypto';
import { type EventMetadata, type IntakeKind, intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { ApiKeyPrincipal } from '@popsvc/http-kit/auth';
import type { NewEvent } from '@popsvc/platform/event-store';
import type { RouteRequest } from '@popsvc/http-kit/server';
import type { RequestClaim } from '@popsvc/platform/postgres';
import { currentTraceContext, isSampled } from '@popsvc/platform/telemetry';
import type { IntakeDefinition } from './validation.ts';

/** A retry of a request repeats these inputs, so its identity is the same. */
export const deriveRequestIdentity = (keyId: string, route: string, idempotencyKey: string, bodyHash: Buffer): Buffer =>
  hash(
    'sha256',
    `${keyId}\n${route}\n${idempotencyKey.length}\n${idempotencyKey}\n${bodyHash.toString('hex')}`,
    'buffer',
  ).subarray(0, 16);

/** Maps a hex digit of the hash to the UUID variant (binary 10) followed by the lower two bits of the digit. */
const variantDigits = '89ab89ab89ab89ab';

/** The returned function computes UUIDv5(identity, name) in 0.7 µs; the package `uuid` takes 2.7 µs. `name`: at most 32 characters. */
export const createIdGenerator = (identity: Buffer): ((name: number | string) => string) => {
  const input = Buffer.allocUnsafe(identity.length + 32);
  identity.copy(input);
  return (name) => {
    const length = identity.length + input.write(String(name), identity.length, 'latin1');
    const sha1 = hash('sha1', input.subarray(0, length), 'hex');
    const variant = variantDigits[Number.parseInt(sha1[16]!, 16)]!;
    return `${sha1.slice(0, 8)}-${sha1.slice(8, 12)}-5${sha1.slice(13, 16)}-${variant}${sha1.slice(17, 20)}-${sha1.slice(20, 32)}`;
  };
};

export const deriveEventIds = (identity: Buffer, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => index).map(createIdGenerator(identity));

export interface ReceivedRequest {
  readonly key: ApiKeyPrincipal;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly bodyHash: Buffer;
  /** Source of the event ids, 16 bytes: random unless the request has an Idempotency-Key. */
  readonly identity: Buffer;
  readonly bodyBytes: number;
  readonly receivedAtMs: number;
  readonly stream: string;
}

export const describeRequest = (
  { kind, path }: { readonly kind: IntakeKind; readonly path: string },
  { principal, requestId, bodyBytes }: RouteRequest,
  idempotencyKey: string | undefined,
  receivedAtMs: number,
): ReceivedRequest => {
  // The intake routes accept only API keys.
  const key = principal as ApiKeyPrincipal;
  const stream = intakeStream(kind, key.network, key.vendor, receivedAtMs);
  const bodyHash = hash('sha256', bodyBytes, 'buffer');
  const hasKey = idempotencyKey !== undefined;
  return {
    key,
    requestId,
    idempotencyKey,
    bodyHash,
    identity: hasKey ? deriveRequestIdentity(key.keyId, path, idempotencyKey, bodyHash) : randomBytes(16),
    bodyBytes: bodyBytes.length,
    receivedAtMs,
    stream,
  };
};

export const createClaim = (path: string, request: ReceivedRequest): RequestClaim | undefined => {
  const { key, idempotencyKey, bodyHash, stream, receivedAtMs } = request;
  if (idempotencyKey === undefined) return undefined;
  return { name: { credential: key.keyId, route: path, key: idempotencyKey }, bodyHash, stream, receivedAtMs };
};

export interface ValidatedBody<Sent, Extra> {
  readonly items: readonly Sent[];
  readonly extra: Extra;
}

interface EventItems {
  readonly items: readonly object[];
  readonly bytes: number;
}

/** An event must fit into one append (1 MiB) and into one NATS message. */
export const maxEventItemBytes = 262_144;

/** A stored value may be longer than the sent one: 1e20 becomes a number with 21 digits, and a time without seconds gets seconds. */
const maxGrowthFactor = 6;
const maxAddedBytesPerItem = 64;

/** Includes the comma or bracket that follows the item in the list. */
export const measureItem = (item: object): number => Buffer.byteLength(JSON.stringify(item)) + 1;

/**
 * Measures items only if an upper bound from the size of the body exceeds the limit. Throws `tooLarge(index)` for an item that alone
 * exceeds the limit.
 */
const splitItems = (
  items: readonly object[],
  bodyBytes: number,
  tooLarge: (index: number) => Error,
): readonly EventItems[] => {
  const maxBytes = maxGrowthFactor * bodyBytes + items.length * maxAddedBytesPerItem;
  if (maxBytes <= maxEventItemBytes) return [{ items, bytes: maxBytes }];
  const parts: EventItems[] = [];
  let open: object[] = [];
  let bytes = 0;
  items.forEach((item, index) => {
    const size = measureItem(item);
    if (size > maxEventItemBytes) throw tooLarge(index);
    if (bytes + size > maxEventItemBytes) {
      parts.push({ items: open, bytes });
      open = [];
      bytes = 0;
    }
    open.push(item);
    bytes += size;
  });
  parts.push({ items: open, bytes });
  return parts;
};

/** The events of one append call. `bytes`: an upper bound of their size in the event store. */
export interface Chunk {
  readonly events: readonly NewEvent[];
  readonly bytes: number;
}

/** The event store accepts 1 MiB per call, but may count overhead of its own. */
export const chunkLimits = { events: 500, bytes: 1_048_576 - 16_384 };

/**
 * Upper bound for metadata and field names. It is constant, so that a retry with a longer request id makes the same chunks: the event store
 * rejects a chunk that mixes stored and new events.
 */
const maxMetadataBytes = 704;

/**
 * Event ids depend only on the identity and the index of the event, so a retry creates the same ids. Throws `tooLarge(index)` for an item
 * above the limit.
 */
export const createChunks = <Sent, Extra extends object>(
  { event: { type, version }, toItem, toData }: IntakeDefinition<Sent, Extra>,
  { key, requestId, identity, receivedAtMs, bodyBytes }: ReceivedRequest,
  { items, extra }: ValidatedBody<Sent, Extra>,
  tooLarge: (index: number) => Error,
): readonly Chunk[] => {
  const traceContext = currentTraceContext();
  const metadata: EventMetadata = {
    schemaVersion: version,
    receivedAt: instantOf(receivedAtMs),
    network: key.network,
    vendor: key.vendor,
    keyId: key.keyId,
    requestId,
    ...(isSampled(traceContext) && { correlationId: traceContext }),
  };
  const idOf = createIdGenerator(identity);
  const frameBytes = maxMetadataBytes + Buffer.byteLength(JSON.stringify(extra));
  const chunks: { events: NewEvent[]; bytes: number }[] = [];
  splitItems(items.map(toItem), bodyBytes, tooLarge).forEach((part, index) => {
    const event = { id: idOf(index), type, data: toData(part.items, extra), metadata };
    const bytes = part.bytes + frameBytes;
    const last = chunks.at(-1);
    if (last && last.bytes + bytes <= chunkLimits.bytes) {
      last.events.push(event);
      last.bytes += bytes;
    } else chunks.push({ events: [event], bytes });
  });
  return chunks;
};
