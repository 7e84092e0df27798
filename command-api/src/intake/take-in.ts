import { Refusal } from '@popsvc/contracts/errors';
import { instantOf } from '@popsvc/contracts/time';
import type { EventStore } from '@popsvc/platform/event-store';
import { type Answer, type Asked, json, type JsonAnswer } from '@popsvc/platform/http';
import type { Claim, Claimed, Records } from '@popsvc/platform/records';
import type { Clock } from '@popsvc/platform/runtime';
import { idempotencyKeyOf } from '../idempotency/idempotency-key.ts';
import { answerOf, once } from '../idempotency/once.ts';
import type { Appender } from './appender.ts';
import { type Chunk, chunksOf } from './chunks.ts';
import type { Intake } from './intake.ts';
import type { IntakeMetrics } from './intake-metrics.ts';
import { onlyValidates } from './intake-query.ts';
import { eventsOf, type Receipt, receiptOf } from './receipt.ts';
import { storedAlready } from './stored-already.ts';
import { type StoreGate, withinReason } from './store-gate.ts';
import { unavailable } from './unavailable.ts';
import { invalid, validate } from './validate.ts';

export interface IntakeParts {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly gate: StoreGate;
  readonly appender: Appender;
  readonly records: Records;
  readonly clock: Clock;
  readonly metrics: IntakeMetrics;
  readonly maxAgeDays: number | undefined;
}

/** Takes a request in: all of it or nothing, and 202 only when every event of it is durable. */
export const takeIn =
  <Sent>(intake: Intake<Sent>, parts: IntakeParts) =>
  async (asked: Asked): Promise<Answer> => {
    const onlyAsks = onlyValidates(asked.query);
    const receipt = receiptOf(intake.kind, asked, idempotencyKeyOf(asked), parts.clock.now());
    const claim = onlyAsks ? undefined : claimOf(intake, receipt);
    try {
      const sent = validate(asked.body, intake, { receivedAtMs: receipt.receivedAtMs, maxAgeDays: parts.maxAgeDays });
      await intake.check?.(sent, receipt.key.network);
      const chunks = chunksIn(intake, receipt, sent);
      if (onlyAsks) return json(200, { message: 'Valid; nothing was stored.', eventCount: sent.length });
      if (claim) return await takeInOnce(intake, asked, receipt, claim, sent, parts);
      await append(parts, receipt.stream, chunks);
      return accepted(intake, parts, receipt.receivedAtMs, sent.length);
    } catch (error) {
      // What was good when first told may be too old by now; its answer stands.
      const before = claim && error instanceof Refusal && error.code === 'INVALID_EVENT';
      const answer = before ? await answerOf(parts.records, claim) : undefined;
      if (answer) return answer;
      throw unavailable(error);
    }
  };

const claimOf = <Sent>({ path }: Intake<Sent>, receipt: Receipt): Claim | undefined => {
  const { key, idempotencyKey, bodyHash, stream, receivedAtMs } = receipt;
  if (idempotencyKey === undefined) return undefined;
  return { name: { credential: key.keyId, route: path, key: idempotencyKey }, bodyHash, stream, receivedAtMs };
};

const takeInOnce = async <Sent>(
  intake: Intake<Sent>,
  { signal, log }: Asked,
  receipt: Receipt,
  claim: Claim,
  sent: readonly Sent[],
  parts: IntakeParts,
): Promise<JsonAnswer> => {
  const answer = await once(parts.records, claim, {
    signal,
    log,
    async work(claimed) {
      const { stream = receipt.stream, receivedAtMs } = claimed;
      const left = chunksIn(intake, { ...receipt, stream, receivedAtMs }, sent);
      const chunks = await leftOf(left, stream, claimed, parts);
      await append(parts, stream, chunks);
      return { answer: accepted(intake, parts, receivedAtMs, sent.length), didSomething: chunks.length > 0 };
    },
  });
  if (answer.headers) parts.metrics.replayed(intake.kind);
  return answer;
};

/** What an earlier try did not store. An append is all or nothing, but what matters is only that nothing comes twice. */
const leftOf = async (
  chunks: readonly Chunk[],
  stream: string,
  claimed: Claimed,
  { store, gate }: IntakeParts,
): Promise<readonly Chunk[]> => {
  if (claimed.earlierTryAtMs === undefined) return chunks;
  gate.pass();
  const ids = chunks.flatMap(({ events }) => events.map(({ id }) => id));
  const tries = { fromMs: claimed.receivedAtMs, toMs: claimed.earlierTryAtMs };
  const stored = await withinReason(gate, storedAlready(store, stream, ids, tries));
  return chunks
    .map(({ events, bytes }) => ({ events: events.filter(({ id }) => !stored.has(id)), bytes }))
    .filter(({ events }) => events.length > 0);
};

const chunksIn = <Sent>(intake: Intake<Sent>, receipt: Receipt, sent: readonly Sent[]): readonly Chunk[] =>
  chunksOf(eventsOf(intake, receipt, sent), receipt.bodyBytes, (index) =>
    invalid([{ path: `${intake.list}[${index}]`, message: 'is larger than the 1 MiB an event may have' }]),
  );

/** In order, each part when the one before it is durable. */
const append = async ({ appender }: IntakeParts, stream: string, chunks: readonly Chunk[]): Promise<void> => {
  for (const chunk of chunks) await appender.append(stream, chunk);
};

const accepted = <Sent>({ kind }: Intake<Sent>, { metrics }: IntakeParts, receivedAtMs: number, eventCount: number) => {
  metrics.accepted(kind, eventCount);
  return json(202, { message: 'Accepted.', acceptedAt: instantOf(receivedAtMs), eventCount });
};
