import { createCheck, failed, type Finding, warning } from './finding.ts';

export const serviceCheck = createCheck('service', 'Each process of the service answers and is ready.', {
  'not-answering': failed((variable) => `Start it, or set ${variable} to its address.`),
  'address-unknown': failed('Set POPSVC_OPS_URL, for example to http://localhost:8082.'),
  'wrong-server': failed(
    'Set POPSVC_OPS_URL to the operations server (port 8082), of the same version as this command line.',
  ),
  'token-rejected': failed('Set POPSVC_OPERATOR_TOKEN to the token that the projectors were started with.'),
  'request-failed': failed('See the log of the projectors.'),
  'not-ready': failed(
    'Fix the checks that it lists. `objects` are uploaded files: DATA_DIR or the S3_ variables of that process; for stores see the other findings.',
  ),
  degraded: warning('The rest of the service works. See the findings about the checks that it lists.'),
  'not-reporting': failed('Start it, or check that it reaches PostgreSQL.'),
});

/** The body of a `/readyz` response. Another program may have sent it, so any field may be missing. */
export interface ReadyResponse {
  readonly message?: string | undefined;
  /** By name of the readiness check: `ok`, or what is wrong. */
  readonly checks?: Readonly<Record<string, string>> | undefined;
}

export const reportReadyService = (subject: string, url: string, { message, checks = {} }: ReadyResponse): Finding => {
  if (message !== 'degraded') return serviceCheck.ok({ subject, found: `ready at ${url}` });
  const affected = Object.entries(checks).flatMap(([name, result]) => (result === 'ok' ? [] : [`${name}: ${result}`]));
  return serviceCheck.problem('degraded', { subject, found: `degraded at ${url}: ${affected.join('; ')}` });
};

/** The checks that each process evaluates for `/readyz`. No check calls another process of the service. */
export const READINESS_CHECKS = {
  'command-api': ['event-store', 'postgresql', 'objects', 'registry'],
  worker: ['event-store', 'postgresql', 'objects', 'registry'],
  'query-api': ['clickhouse', 'postgresql', 'read-models', 'schema'],
  projectors: ['event-store', 'clickhouse', 'postgresql', 'projection'],
} as const;

/** Each function rejects while its check fails. */
export type ReadinessChecks<Service extends keyof typeof READINESS_CHECKS> = Readonly<
  Record<(typeof READINESS_CHECKS)[Service][number], () => Promise<unknown>>
>;
