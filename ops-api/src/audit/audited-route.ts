import { ApiError } from '@popsvc/contracts/errors';
import type { EventStore } from '@popsvc/platform/event-store';
import type { Route, RouteRequest, RouteResponse } from '@popsvc/http-kit/server';
import { recordAction } from './audit-log.ts';

/** Only these fields of requests and responses enter the audit log. Others may contain secrets or whole files. */
const targetFields: ReadonlySet<string> = new Set([
  ...['id', 'name', 'account', 'role', 'network', 'networks', 'vendor', 'expires', 'client_id', 'kid', 'user'],
  ...['requests_per_second', 'events_per_second', 'overlap_seconds', 'end_tokens', 'run_sql'],
  ...['projection', 'all', 'positions', 'reason', 'verify', 'source', 'from_version', 'generation', 'version'],
  ...['schema_version', 'dry_run', 'restate', 'changed', 'events', 'waiting', 'paused'],
]);

const maxValueCharacters = 200;

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

const isTargetValue = (value: unknown): boolean => (Array.isArray(value) ? value.every(isScalar) : isScalar(value));

const valueText = (value: unknown): string => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > maxValueCharacters ? `${text.slice(0, maxValueCharacters)}…` : text;
};

const targetOf = (...sources: readonly unknown[]): Record<string, string> => {
  const target: Record<string, string> = {};
  for (const source of sources)
    if (typeof source === 'object' && source !== null && !Array.isArray(source))
      for (const [name, value] of Object.entries(source))
        if (targetFields.has(name) && isTargetValue(value)) target[name] = valueText(value);
  return target;
};

const requestTarget = ({ params, query, body }: RouteRequest) => targetOf(query, body, params);

const notRecorded = (cause: unknown): ApiError =>
  new ApiError(
    'UNAVAILABLE',
    'The action was carried out, but the audit log could not record it. Check the result, then repeat the request.',
    { cause },
  );

export const auditedRoute = (store: Pick<EventStore, 'append'>, route: Route): Route => {
  const action = route.operationId ?? `${route.method} ${route.path}`;
  const recordDone = async (request: RouteRequest, response: RouteResponse) => {
    if (request.principal?.kind !== 'operator') return;
    const target = {
      ...requestTarget(request),
      ...(response.kind === 'json' && targetOf(response.body)),
    };
    try {
      await recordAction(store, request.principal, request, { action, target, outcome: 'done' });
    } catch (err) {
      request.log.error({ err, action, target }, 'failed to record an action in the audit log');
      throw notRecorded(err);
    }
  };
  return {
    ...route,
    async handle(request) {
      const response = await route.handle(request);
      await recordDone(request, response);
      return response;
    },
    onRejected(request, code, error) {
      route.onRejected?.(request, code, error);
      const { principal, log } = request;
      if (code !== 'FORBIDDEN' || principal?.kind !== 'operator') return;
      const target = requestTarget(request);
      recordAction(store, principal, request, { action, target, outcome: 'refused' }).catch((err: unknown) =>
        log.error({ err, action, target }, 'failed to record a refused action in the audit log'),
      );
    },
  };
};
