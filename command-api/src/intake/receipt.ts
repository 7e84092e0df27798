import { hash } from 'node:crypto';
import { type EventMetadata, type IntakeKind, intakeStream } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { ApiKeyPrincipal } from '@popsvc/platform/auth';
import type { NewEvent } from '@popsvc/platform/event-store';
import type { Asked } from '@popsvc/platform/http';
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
  { principal, requestId, bodyBytes }: Asked,
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

/** The events of a request. Their ids follow from the request alone, so that telling it again makes the same events. */
export const eventsOf = <Sent>(
  { eventType, schemaVersion, path, toData }: Intake<Sent>,
  { key, requestId, idempotencyKey = '', bodyHash, receivedAtMs }: Receipt,
  sent: readonly Sent[],
): readonly NewEvent[] => {
  const metadata: EventMetadata = {
    schemaVersion,
    receivedAt: instantOf(receivedAtMs),
    network: key.network,
    vendor: key.vendor,
    keyId: key.keyId,
    requestId,
  };
  const ids = eventIds(requestIdentity(key.keyId, path, idempotencyKey, bodyHash), sent.length);
  return sent.map((item, index) => ({ id: ids[index]!, type: eventType, data: toData(item), metadata }));
};
