import { hash } from 'node:crypto';
import { type EventMetadata, type IntakeKind, intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { ApiKeyPrincipal } from '@popsvc/platform/auth';
import type { NewEvent } from '@popsvc/platform/event-store';
import type { RouteRequest } from '@popsvc/platform/http';
import type { RequestClaim } from '@popsvc/platform/postgres';
import { isSampled, currentTraceContext } from '@popsvc/platform/telemetry';
import { eventIds, requestIdentity } from './event-ids.ts';
import type { Intake } from './intake.ts';

/** All that a request's events carry besides what was sent. */
export interface Receipt {
  readonly key: ApiKeyPrincipal;
  readonly requestId: string;
  readonly idempotencyKey: string | undefined;
  readonly bodyHash: Buffer;
  readonly bodyBytes: number;
  readonly receivedAtMs: number;
  readonly stream: string;
}

export const receiptOf = (
  kind: IntakeKind,
  { principal, requestId, bodyBytes }: RouteRequest,
  idempotencyKey: string | undefined,
  receivedAtMs: number,
): Receipt => {
  // The route lets nobody else in.
  const key = principal as ApiKeyPrincipal;
  const stream = intakeStream(kind, key.network, key.vendor, receivedAtMs);
  return {
    key,
    requestId,
    idempotencyKey,
    bodyHash: hash('sha256', bodyBytes, 'buffer'),
    bodyBytes: bodyBytes.length,
    receivedAtMs,
    stream,
  };
};

/** What is claimed of a request before it is worked on; undefined without an idempotency key. */
export const claimOf = (path: string, receipt: Receipt): RequestClaim | undefined => {
  const { key, idempotencyKey, bodyHash, stream, receivedAtMs } = receipt;
  if (idempotencyKey === undefined) return undefined;
  return { name: { credential: key.keyId, route: path, key: idempotencyKey }, bodyHash, stream, receivedAtMs };
};

/** What a request holds, all of it good. */
export interface Told<Sent, Beside> {
  readonly sent: readonly Sent[];
  readonly beside: Beside;
}

/** The events of a request. Their ids follow from the request alone, so that telling it again makes the same events. */
export const eventsOf = <Sent, Beside extends object>(
  { eventType, schemaVersion, path, toData }: Intake<Sent, Beside>,
  { key, requestId, idempotencyKey = '', bodyHash, receivedAtMs }: Receipt,
  { sent, beside }: Told<Sent, Beside>,
): readonly NewEvent[] => {
  const trail = currentTraceContext();
  const metadata: EventMetadata = {
    schemaVersion,
    receivedAt: instantOf(receivedAtMs),
    network: key.network,
    vendor: key.vendor,
    keyId: key.keyId,
    requestId,
    ...(isSampled(trail) && { correlationId: trail }),
  };
  const ids = eventIds(requestIdentity(key.keyId, path, idempotencyKey, bodyHash), sent.length);
  return sent.map((item, index) => ({ id: ids[index]!, type: eventType, data: toData(item, beside), metadata }));
};
