import { ApiError } from '@popsvc/contracts/errors';
import { z } from 'zod';
import { jsonResponse, rawResponse } from '../endpoints/response.ts';
import type { Route } from '../endpoints/route.ts';
import {
  createSampler,
  Degraded,
  NotReadyError,
  popsvcVersion,
  type ReadinessCheck,
  withDeadline,
} from '@popsvc/platform/runtime';
import { Gauge, type Registry } from '@popsvc/platform/telemetry';

export interface ProbeDependencies {
  readonly checks: Readonly<Record<string, ReadinessCheck>>;
  readonly stopping: () => boolean;
  readonly metrics: Registry;
}

/** Returns true also for the metrics. */
export const isProbe = (url = ''): boolean => /^\/(?:metrics|healthz|readyz)(?:\?|$)/.test(url);

const checkTimeoutMs = 2_000;

const Alive = z.object({
  status: z.literal(true).describe('True in a successful response, false in an error.'),
  message: z.literal('alive').describe('The process runs and responds.'),
  version: z.string().describe('Version of the popsvc release.'),
});
const Version = Alive.pick({ version: true });
const Ready = z.object({
  status: z.literal(true).describe('True in a successful response, false in an error.'),
  message: z
    .enum(['ready', 'degraded'])
    .describe('`degraded`: the process is ready, but part of the service does not work.'),
  checks: z.record(z.string(), z.string()).describe('Dependencies by name: `ok`, or what is degraded.'),
});

/** Responses name failing dependencies, but contain no internal details. */
export const probes = ({ checks, stopping, metrics }: ProbeDependencies): readonly Route[] => [
  {
    method: 'get',
    path: '/healthz',
    summary: 'The process runs.',
    operationId: 'getHealth',
    examples: [{ name: 'ask' }],
    schemas: { responses: { 200: Alive } },
    access: 'public',
    handle: () => jsonResponse(200, { status: true, message: 'alive', version: popsvcVersion }),
  },
  {
    method: 'get',
    path: '/version',
    summary: 'Version of the process.',
    operationId: 'getVersion',
    examples: [{ name: 'ask' }],
    schemas: { responses: { 200: Version } },
    access: 'public',
    handle: () => jsonResponse(200, { version: popsvcVersion }),
  },
  {
    method: 'get',
    path: '/readyz',
    summary: 'Readiness of the service and its dependencies.',
    operationId: 'getReadiness',
    examples: [{ name: 'ask' }],
    schemas: { responses: { 200: Ready } },
    access: 'public',
    async handle({ log }) {
      if (stopping()) throw new ApiError('UNAVAILABLE', 'The service is stopping.');
      const names = Object.keys(checks);
      const outcomes = await Promise.allSettled(
        names.map((name) => withDeadline(checks[name]!(), checkTimeoutMs, name)),
      );
      const failing = names.filter((_, index) => outcomes[index]!.status === 'rejected');
      const whyOf = (name: string) => {
        const outcome = outcomes[names.indexOf(name)]!;
        const isExplained = outcome.status === 'rejected' && outcome.reason instanceof NotReadyError;
        return isExplained ? (outcome.reason as NotReadyError).message : 'does not answer';
      };
      if (failing.length === 0) {
        const results = outcomes.map((outcome) =>
          outcome.status === 'fulfilled' && outcome.value instanceof Degraded ? outcome.value.reason : 'ok',
        );
        return jsonResponse(200, {
          status: true,
          message: results.every((result) => result === 'ok') ? 'ready' : 'degraded',
          checks: Object.fromEntries(names.map((name, index) => [name, results[index]!])),
        });
      }
      const reasons = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
      // Orchestrators poll while a service starts, so a failure is normal.
      log.debug(
        { err: new AggregateError(reasons, 'some dependencies are not ready'), failing },
        'readiness check failed',
      );
      throw new ApiError('UNAVAILABLE', `Not ready: ${failing.join(', ')}.`, {
        details: failing.map((path) => ({ path, message: whyOf(path) })),
      });
    },
  },
  {
    method: 'get',
    path: '/metrics',
    summary: 'Metrics in the Prometheus text format; from this machine or with the operator token.',
    operationId: 'getMetrics',
    examples: [{ name: 'ask' }],
    schemas: { otherResponses: { 'text/plain': 'The text format of Prometheus.' } },
    access: 'monitoring',
    handle: async () => rawResponse(200, metrics.contentType, await metrics.metrics()),
  },
];

const maxAgeMs = 5_000;
const timeoutMs = 2_500;
const dependencyCheckMs = 2_000;

const isReady = async (check: ReadinessCheck): Promise<boolean> => {
  try {
    await withDeadline(check(), dependencyCheckMs);
    return true;
  } catch {
    return false;
  }
};

export const registerDependencyMetrics = (
  registry: Registry,
  checks: Readonly<Record<string, ReadinessCheck>>,
): void => {
  const names = Object.keys(checks);
  const sampleChecks = createSampler(() => Promise.all(names.map((name) => isReady(checks[name]!))), {
    maxAgeMs,
    timeoutMs,
  });
  new Gauge({
    name: 'popsvc_dependency_up',
    help: '1 while a dependency is ready, else 0; the same checks as /readyz.',
    labelNames: ['dependency'],
    registers: [registry],
    async collect() {
      const up = await sampleChecks();
      this.reset();
      names.forEach((dependency, index) => this.set({ dependency }, up?.[index] ? 1 : 0));
    },
  });
};
