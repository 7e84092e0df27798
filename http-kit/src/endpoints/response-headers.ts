const text = { type: 'string' };
const moment = { type: 'string', format: 'date-time' };

const header = (description: string, schema: object, example: string | number) => ({ description, schema, example });

export const replyHeaders = {
  'X-Request-Id': header(
    'Names this request in our logs; yours if you sent one.',
    text,
    '5f0c7a0e-6f0f-4c1e-9a3e-0c6a7a1f2b3d',
  ),
  'X-Data-As-Of': header(
    'Everything received until then is in the answer; absent while that is not known.',
    moment,
    '2026-08-20T14:03:07.250Z',
  ),
  'X-Total': header('Rows of the whole window.', { type: 'integer', minimum: 0 }, 120),
  'X-Next-After': header(
    'What to send as `after` for the next page; absent on the last.',
    text,
    '2026-08-20T14:03:07.250Z',
  ),
  'X-Next-Since': header('What to send as `since` for the changes after those of the file.', text, 'MTIzNDU2Nzg5'),
  'X-Has-More': header('`true`: further changes are there now.', text, 'false'),
  'Idempotency-Replayed': header(
    '`true`: this is the answer of an earlier request with the same Idempotency-Key.',
    text,
    'true',
  ),
  'Content-Disposition': header('Names the file.', text, 'attachment; filename="coffee_20260801_20260901.csv"'),
  'Set-Cookie': header(
    'The session, or its end.',
    text,
    'popsvc_session=…; Path=/; HttpOnly; SameSite=Strict; Max-Age=43200',
  ),
  'Cache-Control': header('How long the answer may be kept.', text, 'public, max-age=60'),
  ETag: header('Version of the content, for If-None-Match.', text, '"3f786850"'),
  'Retry-After': header('Seconds after which to try again.', { type: 'integer', minimum: 0 }, 1),
  'WWW-Authenticate': header(
    'What credential is due, and what is wrong with the one that was sent (RFC 6750).',
    text,
    'Bearer realm="popsvc"',
  ),
  'RateLimit-Policy': header(
    'Burst and the seconds in which it fills, by unit (draft-ietf-httpapi-ratelimit-headers).',
    text,
    '"requests";q=4000;qu="requests";w=2',
  ),
  RateLimit: header(
    'What is left of it, by unit, and the seconds until it is full. Only API keys have rates.',
    text,
    '"requests";r=3999;t=1',
  ),
} as const;

export type ReplyHeader = keyof typeof replyHeaders;

export const headerRefs = (names: readonly ReplyHeader[]): Readonly<Record<string, object>> =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
