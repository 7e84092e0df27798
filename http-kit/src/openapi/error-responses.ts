import { ApiError, type ApiErrorDetail, type ErrorCode, errorMessages } from '@popsvc/contracts/errors';
import { BodyTimeout, errorResponse, httpStatusOf } from '../endpoints/errors.ts';
import { headerRefs, type ReplyHeader } from '../endpoints/response-headers.ts';
import type { Route, RouteSchemas } from '../endpoints/route.ts';
import { isOperatorAccess } from '../auth/access.ts';
import type { SchemaCollector } from './schemas.ts';

const errorCodesOf = ({ access, method, body, schemas, errorCodes = [] }: Route): readonly ErrorCode[] => {
  const codes: ErrorCode[] = [...errorCodes, 'UNAVAILABLE', 'INTERNAL'];
  if (schemas?.query) codes.push('INVALID_PARAM');
  if (access !== 'public') codes.push('UNAUTHORIZED', 'RATE_LIMITED');
  // A request with a session cookie may change state only if a page of the console sends the request.
  if (isOperatorAccess(access) && method !== 'get') codes.push('FORBIDDEN_ORIGIN');
  // Every operator has at least the role `viewer`.
  if (access === 'operator' || access === 'admin') codes.push('FORBIDDEN');
  // These endpoints may read ClickHouse tables, which are rebuilt if they are damaged.
  if (access === 'reporting' || (isOperatorAccess(access) && method === 'get')) codes.push('REBUILDING');
  if (body === 'json' || body === 'form') codes.push('INVALID_REQUEST', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  return [...new Set(codes)].sort();
};

const capital = (word: string): string => word.charAt(0) + word.slice(1).toLowerCase();
const nameOf = (code: ErrorCode): string => code.split('_').map(capital).join('');

const errorResponseName = (codes: readonly ErrorCode[]): string => codes.map(nameOf).join('Or');

type Replies = Readonly<Record<string, object>>;

const headersOfStatus = (status: number): readonly ReplyHeader[] => [
  'X-Request-Id',
  ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
  ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  ...(status === 429 ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
];

export const errorBody = (codes: readonly ErrorCode[]): object => ({
  type: 'object',
  required: ['status', 'message', 'error', 'request_id'],
  properties: {
    status: { type: 'boolean', const: false, description: 'True in a successful response, false in an error.' },
    message: { type: 'string', description: 'For people; it may improve. Programs go by the code.' },
    error: {
      type: 'object',
      description: 'The error, for programs.',
      required: ['code', 'details'],
      properties: {
        code: { type: 'string', enum: codes, description: 'Stable: programs go by it.' },
        details: {
          type: 'array',
          description: 'The problems of the request; may be empty.',
          items: { $ref: '#/components/schemas/ErrorDetail' },
        },
      },
    },
    request_id: { type: 'string', description: 'Identifies the request in the logs; as the header X-Request-Id.' },
  },
});

export const errorDetail = {
  type: 'object',
  required: ['path', 'message'],
  properties: {
    path: { type: 'string', description: 'Where: a parameter, or a field such as `events[3].playedAt`.' },
    message: { type: 'string', description: 'What is wrong with it.' },
    value: {
      type: 'string',
      description: 'The value that you sent, shortened; only for fields of events. Absent for numbers beyond 2^53.',
    },
  },
};

const exampleDetails: Readonly<Partial<Record<ErrorCode, ApiErrorDetail>>> = {
  INVALID_PARAM: { path: 'limit', message: 'must be a whole number from 1 to 5000' },
  INVALID_EVENT: {
    path: 'events[3].playedAt',
    message: 'must be an ISO 8601 timestamp with Z or an offset',
    value: '"yesterday"',
  },
  INVALID_REQUEST: { path: 'name', message: 'is required' },
  FORBIDDEN_NETWORKS: { path: 'site_id', message: 'site_id is not a site of these networks.' },
};

const exampleMessage = (code: ErrorCode): string => {
  const { path, message } = exampleDetails[code] ?? { path: '', message: errorMessages[code] };
  if (code === 'INVALID_PARAM') return `${path} ${message}`;
  return code === 'INVALID_EVENT' || code === 'INVALID_REQUEST' ? `${path}: ${message}` : message;
};

const bodyOf = (error: ApiError): unknown => errorResponse(error, '5f0c7a0e-6f0f-4c1e-9a3e-0c6a7a1f2b3d').body;

export const errorExample = (code: ErrorCode): unknown => {
  const detail = exampleDetails[code];
  return bodyOf(new ApiError(code, exampleMessage(code), detail && { details: [detail] }));
};

const errorExamples = ([code, ...others]: readonly ErrorCode[], isTimeout: boolean): object => {
  if (isTimeout) return { example: bodyOf(new BodyTimeout('The request took too long to arrive.')) };
  if (code === undefined) return {};
  if (others.length === 0) return { example: errorExample(code) };
  return { examples: Object.fromEntries([code, ...others].map((one) => [one, { value: errorExample(one) }])) };
};

const codesByStatus = (route: Route): ReadonlyMap<number, readonly ErrorCode[]> => {
  const found = new Map<number, ErrorCode[]>();
  const add = (status: number, code: ErrorCode) => found.set(status, [...(found.get(status) ?? []), code]);
  for (const code of errorCodesOf(route)) add(httpStatusOf[code], code);
  // If a body does not arrive in time, the server responds with status 408.
  if (route.body !== undefined) add(408, 'INVALID_REQUEST');
  return found;
};

const ownErrorResponses = (
  own: NonNullable<RouteSchemas['errorResponses']>,
  examples: RouteSchemas['errorExamples'],
  collector: SchemaCollector,
): Replies =>
  Object.fromEntries(
    Object.entries(own).map(([status, schema]) => {
      const example = examples?.[Number(status)];
      const content = { schema: collector.of(schema, 'output'), ...(example !== undefined && { example }) };
      return [
        status,
        {
          description: 'Refused.',
          headers: headerRefs(headersOfStatus(Number(status))),
          content: { 'application/json': content },
        },
      ];
    }),
  );

const errorResponseOf = (status: number, codes: readonly ErrorCode[], collector: SchemaCollector): object => {
  const isTimeout = status === 408;
  const about = codes.map((code) => `\`${code}\`: ${errorMessages[code]}`).join('\n\n');
  return collector.reply(isTimeout ? 'BodyTimeout' : errorResponseName(codes), {
    description: isTimeout ? 'The body took too long to arrive.' : about,
    headers: headerRefs(headersOfStatus(status)),
    content: { 'application/json': { schema: errorBody(codes), ...errorExamples(codes, isTimeout) } },
  });
};

export const errorResponsesOf = (route: Route, collector: SchemaCollector): Replies => {
  const own = route.schemas?.errorResponses;
  // The server sends an unexpected error in the shared format, whatever the format of the route's own errors.
  const statuses = [...codesByStatus(route)].filter(([status]) => !own || status === 500);
  const replies = statuses.map(([status, codes]) => [String(status), errorResponseOf(status, codes, collector)]);
  return {
    ...(own && ownErrorResponses(own, route.schemas.errorExamples, collector)),
    ...(Object.fromEntries(replies) as Replies),
  };
};
