/**
 * The checks that each process evaluates for `/readyz`, with the stores that it uses. It is not ready while one of them fails. No
 * check calls another process: query-api checks that the schema exists, and does not ask whether the projectors are ready.
 */
export const READINESS_CHECKS = {
  'command-api': ['event-store', 'postgresql', 'objects', 'registry'],
  worker: ['event-store', 'postgresql', 'objects', 'registry'],
  'query-api': ['clickhouse', 'postgresql', 'read-models', 'schema'],
  projectors: ['event-store', 'clickhouse', 'postgresql', 'projection'],
} as const;

/** The readiness checks of a process. Each function rejects while the process is not ready. */
export type ReadinessChecks<Service extends keyof typeof READINESS_CHECKS> = Readonly<
  Record<(typeof READINESS_CHECKS)[Service][number], () => Promise<unknown>>
>;
