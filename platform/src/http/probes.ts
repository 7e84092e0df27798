import { ApiError } from '@popsvc/contracts/errors';
import { z } from 'zod';
import { withDeadline } from '../runtime/index.ts';
import type { Registry } from '../telemetry/index.ts';
import { jsonResponse, rawResponse } from './answer.ts';
import type { Route } from './route.ts';

/** Resolves when the dependency answers, and rejects with NotYet where it answers and is not what is needed. */
export type ReadinessCheck = () => Promise<unknown>;

/** Why something is not ready that answers. Its message is told to whoever asks. */
export class NotReadyError extends Error {
  override readonly name = 'NotYet';
}

export interface ProbeDependencies {
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  readonly stopping: () => boolean;
  readonly metrics: Registry;
}

const checkMs = 2_000;

const Alive = z.object({ status: z.literal(true), message: z.literal('alive') });
const Ready = z.object({
  status: z.literal(true),
  message: z.literal('ready'),
  checks: z.record(z.string(), z.literal('ok')).describe('What answers, by name.'),
});

/** Alive, ready, and the figures. They tell which part fails and nothing of its inside. */
export const probes = ({ checks, stopping, metrics }: ProbeDependencies): readonly Route[] => [
  {
    method: 'get',
    path: '/healthz',
    summary: 'The process runs.',
    operationId: 'getHealth',
    examples: [{ name: 'ask' }],
    schemas: { responses: { 200: Alive } },
    access: 'public',
    handle: () => jsonResponse(200, { status: true, message: 'alive' }),
  },
  {
    method: 'get',
    path: '/readyz',
    summary: 'Everything this service needs answers.',
    operationId: 'getReadiness',
    examples: [{ name: 'ask' }],
    schemas: { responses: { 200: Ready } },
    access: 'public',
    async handle({ log }) {
      if (stopping()) throw new ApiError('UNAVAILABLE', 'The service is stopping.');
      const names = Object.keys(checks);
      const outcomes = await Promise.allSettled(names.map((name) => withDeadline(checks[name]!(), checkMs, name)));
      const failing = names.filter((_, index) => outcomes[index]!.status === 'rejected');
      const whyOf = (name: string) => {
        const outcome = outcomes[names.indexOf(name)]!;
        const isTold = outcome.status === 'rejected' && outcome.reason instanceof NotReadyError;
        return isTold ? (outcome.reason as NotReadyError).message : 'does not answer';
      };
      if (failing.length === 0)
        return jsonResponse(200, {
          status: true,
          message: 'ready',
          checks: Object.fromEntries(names.map((n) => [n, 'ok'])),
        });
      const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
      // Asked every moment while a service starts: no news for the log, and the answer tells which part it is.
      log.debug({ err: new AggregateError(reasons, 'not ready') }, 'not ready');
      throw new ApiError('UNAVAILABLE', `Not ready: ${failing.join(', ')}.`, {
        details: failing.map((path) => ({ path, message: whyOf(path) })),
      });
    },
  },
  {
    method: 'get',
    path: '/metrics',
    summary: 'Figures for Prometheus; from this machine, else with the operator token.',
    operationId: 'getMetrics',
    examples: [{ name: 'ask' }],
    schemas: { otherResponses: { 'text/plain': 'The text format of Prometheus.' } },
    access: 'monitoring',
    handle: async () => rawResponse(200, metrics.contentType, await metrics.metrics()),
  },
];
