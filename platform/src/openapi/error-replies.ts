import { type ErrorCode, errorMessages } from '@popsvc/contracts/errors';
import type { Route } from '../http/route.ts';
import { httpStatusOf } from '../http/status-of.ts';
import { errorCodesOf } from './error-codes.ts';
import { refusedName } from './refused-name.ts';
import { headerRefs, type ReplyHeader } from './reply-headers.ts';
import type { SchemaCollector } from './schema-shelf.ts';

type Replies = Readonly<Record<string, object>>;

const headersOf = (status: number): readonly ReplyHeader[] => [
  'X-Request-Id',
  ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
  ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
  ...(status === 429 ? (['RateLimit-Policy', 'RateLimit'] as const) : []),
];

/** The one error body (decisions 2), with the codes that may stand in it. */
export const errorBody = (codes: readonly ErrorCode[]): object => ({
  type: 'object',
  required: ['status', 'message', 'error', 'request_id'],
  properties: {
    status: { type: 'boolean', const: false },
    message: { type: 'string', description: 'For people; it may improve. Programs go by the code.' },
    error: {
      type: 'object',
      required: ['code', 'details'],
      properties: {
        code: { type: 'string', enum: codes },
        details: { type: 'array', items: { $ref: '#/components/schemas/ErrorDetail' } },
      },
    },
    request_id: { type: 'string' },
  },
});

export const errorDetail = {
  type: 'object',
  required: ['path', 'message'],
  properties: {
    path: { type: 'string', description: 'Where: a parameter, or a field such as `events[3].playedAt`.' },
    message: { type: 'string', description: 'What is wrong with it.' },
  },
};

const byStatus = (route: Route): ReadonlyMap<number, readonly ErrorCode[]> => {
  const found = new Map<number, ErrorCode[]>();
  const add = (status: number, code: ErrorCode) => found.set(status, [...(found.get(status) ?? []), code]);
  for (const code of errorCodesOf(route)) add(httpStatusOf[code], code);
  // A body that takes too long to arrive.
  if (route.body !== undefined) add(408, 'INVALID_REQUEST');
  return found;
};

/** Errors of a route whose errors have a shape of their own, beside what nobody expects. */
const ownReplies = (
  own: NonNullable<NonNullable<Route['schemas']>['errorResponses']>,
  shelf: SchemaCollector,
): Replies =>
  Object.fromEntries(
    Object.entries(own).map(([status, schema]) => [
      status,
      {
        description: 'Refused.',
        headers: headerRefs(headersOf(Number(status))),
        content: { 'application/json': { schema: shelf.of(schema, 'output') } },
      },
    ]),
  );

const told = (status: number, codes: readonly ErrorCode[], shelf: SchemaCollector): object => {
  const isTimeout = status === 408;
  const about = codes.map((code) => `\`${code}\`: ${errorMessages[code]}`).join('\n\n');
  return shelf.reply(isTimeout ? 'BodyTimeout' : refusedName(codes), {
    description: isTimeout ? 'The body took too long to arrive.' : about,
    headers: headerRefs(headersOf(status)),
    content: { 'application/json': { schema: errorBody(codes) } },
  });
};

/** What a route may refuse with, by status. The same refusals of several routes are told once. */
export const errorReplies = (route: Route, shelf: SchemaCollector): Replies => {
  const own = route.schemas?.errorResponses;
  // What nobody expects is told in the one way, whatever shape the refusals of a route have.
  const statuses = [...byStatus(route)].filter(([status]) => !own || status === 500);
  const replies = statuses.map(([status, codes]) => [String(status), told(status, codes, shelf)]);
  return { ...(own && ownReplies(own, shelf)), ...(Object.fromEntries(replies) as Replies) };
};
