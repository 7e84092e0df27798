import { ApiError } from '@popsvc/contracts/errors';
import type { IntakeKind } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import type { EventStore } from '@popsvc/platform/event-store';
import { type RouteResponse, type RouteRequest, jsonResponse, type JsonResponse } from '@popsvc/platform/http';
import type { RequestClaim, Postgres } from '@popsvc/platform/postgres';
import type { Clock } from '@popsvc/platform/runtime';
import { idempotencyKeyOf } from '../idempotency/idempotency-key.ts';
import { answerOf, once } from '../idempotency/once.ts';
import type { IntakeCounts } from '../figures/index.ts';
import type { Appender } from './appender.ts';
import { bodyParts } from './body-parts.ts';
import { type Chunk, chunksOf } from './chunks.ts';
import { chunksLeft } from './chunks-left.ts';
import type { Intake } from './intake.ts';
import { invalid } from './invalid.ts';
import type { IntakeMetrics } from './intake-metrics.ts';
import { onlyValidates } from './intake-query.ts';
import { refuseLossyNumbers } from './lossy-numbers.ts';
import { claimOf, eventsOf, type Receipt, receiptOf, type Told } from './receipt.ts';
import type { StoreGate } from './store-gate.ts';
import { unavailable } from './unavailable.ts';
import { type AgeLimits, validate } from './validate.ts';

export interface IntakeParts {
  readonly store: Pick<EventStore, 'readStream'>;
  readonly gate: StoreGate;
  readonly appender: Appender;
  readonly postgres: Postgres;
  readonly clock: Clock;
  readonly metrics: IntakeMetrics & Pick<IntakeCounts, 'refused'>;
  readonly maxAgeDays: number | undefined;
}

/** Takes a request in: all of it or nothing, and 202 only when every event of it is durable. */
export const takeIn =
  <Sent, Beside extends object>(intake: Intake<Sent, Beside>, parts: IntakeParts) =>
  async (asked: RouteRequest): Promise<RouteResponse> => {
    const onlyAsks = onlyValidates(asked.query);
    const receipt = receiptOf(intake.kind, asked, idempotencyKeyOf(asked), parts.clock.now());
    const claim = onlyAsks ? undefined : claimOf(intake.path, receipt);
    try {
      const told = toldIn(intake, asked, { receivedAtMs: receipt.receivedAtMs, maxAgeDays: parts.maxAgeDays });
      await intake.check?.(told.sent, receipt.key.network);
      const chunks = chunksIn(intake, receipt, told);
      const eventCount = told.sent.length;
      if (onlyAsks) return jsonResponse(200, { message: 'Valid; nothing was stored.', eventCount, ...told.beside });
      if (claim) return await takeInOnce(intake, asked, receipt, claim, told, parts);
      await append(parts, receipt.stream, chunks);
      return accepted(intake.kind, parts, receipt.receivedAtMs, told);
    } catch (error) {
      // What was good when first told may be too old by now; its answer stands.
      const before = claim && error instanceof ApiError && error.code === 'INVALID_EVENT';
      const answer = before ? await answerOf(parts.postgres, claim) : undefined;
      if (answer) return answer;
      throw unavailable(error);
    }
  };

const toldIn = <Sent, Beside extends object>(
  intake: Intake<Sent, Beside>,
  asked: RouteRequest,
  limits: AgeLimits,
): Told<Sent, Beside> => {
  const { items, beside } = bodyParts(asked.body, intake);
  // Before they are looked at, which costs as much where they are bad.
  asked.consumeEventQuota(items.length);
  if (intake.asSent) refuseLossyNumbers(asked.bodyBytes, items, { list: intake.list, within: intake.asSent });
  return { sent: validate(items, intake, limits), beside };
};

const takeInOnce = async <Sent, Beside extends object>(
  intake: Intake<Sent, Beside>,
  { signal, log }: RouteRequest,
  receipt: Receipt,
  claim: RequestClaim,
  told: Told<Sent, Beside>,
  parts: IntakeParts,
): Promise<JsonResponse> => {
  const answer = await once(parts.postgres, claim, {
    signal,
    log,
    async work(claimed) {
      const { stream = receipt.stream, receivedAtMs } = claimed;
      const all = chunksIn(intake, { ...receipt, stream, receivedAtMs }, told);
      const chunks = await chunksLeft(all, stream, claimed, parts);
      await append(parts, stream, chunks);
      return { answer: accepted(intake.kind, parts, receivedAtMs, told), didSomething: chunks.length > 0 };
    },
  });
  if (answer.headers) parts.metrics.replayed(intake.kind);
  return answer;
};

const chunksIn = <Sent, Beside extends object>(
  intake: Intake<Sent, Beside>,
  receipt: Receipt,
  told: Told<Sent, Beside>,
): readonly Chunk[] => {
  const size = { bodyBytes: receipt.bodyBytes, repeatedBytes: Buffer.byteLength(JSON.stringify(told.beside)) };
  return chunksOf(eventsOf(intake, receipt, told), size, (index) =>
    invalid([{ path: `${intake.list}[${index}]`, message: 'is larger than the 1 MiB an event may have' }]),
  );
};

/** In order, each part when the one before it is durable. */
const append = async ({ appender }: IntakeParts, stream: string, chunks: readonly Chunk[]): Promise<void> => {
  for (const chunk of chunks) await appender.append(stream, chunk);
};

const accepted = <Sent, Beside extends object>(
  kind: IntakeKind,
  { metrics }: IntakeParts,
  receivedAtMs: number,
  { sent, beside }: Told<Sent, Beside>,
) => {
  const eventCount = sent.length;
  metrics.accepted(kind, eventCount);
  return jsonResponse(202, { message: 'Accepted.', acceptedAt: instantOf(receivedAtMs), eventCount, ...beside });
};
