import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { availableParallelism } from 'node:os';
import { pipeline } from 'node:stream';
import { createFairTurns, type FairTurns } from '@popsvc/platform/runtime';
import { analystQueryPrefix, PROXY_USER } from '@popsvc/read-models/analysts';
import type { CheckLogin } from './analysts-logins.ts';
import { type AnalystQuery, parseAnalystQuery } from './analysts-request.ts';

export interface AnalystsProxyOptions {
  readonly enginePort: number;
  readonly enginePassword: string;
  readonly checkLogin: CheckLogin;
  /** Resolves when the query has ended, or after some failed attempts. */
  readonly killQuery: (queryId: string) => Promise<void>;
  /** Default: half the number of processor cores, but at least 1. The queries of reports use the same cores. */
  readonly maxRunning?: number;
  /** How long a query waits for its turn. Default: 30 s. */
  readonly maxWaitMs?: number;
}

type Options = AnalystsProxyOptions & {
  readonly turns: FairTurns<string>;
  readonly maxWaitMs: number;
};

const maxBodyBytes = 1024 * 1024;

const forwardedHeaders = [
  'accept',
  'accept-encoding',
  'content-type',
  'user-agent',
  'x-clickhouse-database',
  'x-clickhouse-format',
];

interface DirectResponse {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Copies the response of a ClickHouse server, because clients recognize it. */
const loginFailure = (user: string): DirectResponse => ({
  status: 403,
  message: `Code: 516. DB::Exception: ${user}: Authentication failed: password is incorrect, or there is no user with such name. (AUTHENTICATION_FAILED)`,
  headers: { 'x-clickhouse-exception-code': '516' },
});
const engineUnavailable: DirectResponse = { status: 503, message: 'ClickHouse is unavailable; retry later.' };

/**
 * The proxy checks logins, limits the number of concurrent queries, and refuses queries that the rights of the engine cannot prevent, such
 * as calls of `file` (docs/decisions/0018-analysts.md).
 */
export const createAnalystsProxy = (proxyOptions: AnalystsProxyOptions): Server => {
  const { maxRunning = Math.max(1, Math.floor(availableParallelism() / 2)), maxWaitMs = 30_000 } = proxyOptions;
  const options = { ...proxyOptions, maxWaitMs, turns: createFairTurns<string>(maxRunning) };
  return createServer((incoming, response) => {
    serve(incoming, response, options).catch(() => response.destroy());
  });
};

const serve = async (incoming: IncomingMessage, response: ServerResponse, options: Options): Promise<void> => {
  const parsed = await parseRequest(incoming, options);
  if ('status' in parsed) respond(response, parsed);
  else await runQuery(parsed, incoming, response, options);
};

const parseRequest = async (
  incoming: IncomingMessage,
  { checkLogin }: Options,
): Promise<AnalystQuery | DirectResponse> => {
  const { method = '', url = '/', headers } = incoming;
  if (url === '/ping') return { status: 200, message: 'Ok.' };
  if (!['GET', 'POST'].includes(method)) return { status: 405, message: 'Send queries with GET or POST.' };
  const body = await readBody(incoming);
  if (!body) return { status: 413, message: 'A query has at most 1 MiB.' };
  const parsed = parseAnalystQuery({ url, headers, body });
  if ('status' in parsed) return parsed;
  const isAnalyst = await checkLogin(parsed.user, parsed.password).catch(() => undefined);
  if (isAnalyst === undefined) return engineUnavailable;
  return isAnalyst ? parsed : loginFailure(parsed.user);
};

/** Reads to the end even a body that is too large, because some clients read the response only after sending the whole body. */
const readBody = async (incoming: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  }
  return bytes <= maxBodyBytes ? Buffer.concat(chunks) : undefined;
};

const respond = (response: ServerResponse, { status, message, headers }: DirectResponse): void => {
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="ClickHouse"' } : {};
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    connection: 'close',
    ...challenge,
    ...headers,
  });
  response.end(`${message}\n`);
};

/** The engine would notice a disconnection only at the next block of the query, so the proxy kills the query. */
const runQuery = async (
  query: AnalystQuery,
  incoming: IncomingMessage,
  response: ServerResponse,
  options: Options,
): Promise<void> => {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  response.once('close', leave);
  const timer = setTimeout(leave, options.maxWaitMs);
  const endTurn = await options.turns.take(query.user, leaving.signal).catch(() => undefined);
  clearTimeout(timer);
  if (response.destroyed) endTurn?.();
  else if (!endTurn)
    respond(response, { status: 503, message: 'Too many queries of analysts are running; retry later.' });
  else {
    const queryId = analystQueryPrefix(query.user) + randomUUID();
    response.once('close', () => {
      if (response.writableFinished) endTurn();
      else void options.killQuery(queryId).finally(endTurn);
    });
    forwardQuery(query, queryId, incoming, response, options);
  }
};

const forwardQuery = (
  query: AnalystQuery,
  queryId: string,
  incoming: IncomingMessage,
  response: ServerResponse,
  { enginePort, enginePassword }: AnalystsProxyOptions,
): void => {
  const headers = Object.fromEntries(
    forwardedHeaders.flatMap((name) => (incoming.headers[name] === undefined ? [] : [[name, incoming.headers[name]]])),
  );
  const params = new URLSearchParams(query.params);
  params.set('query_id', queryId);
  params.set('quota_key', query.user);
  // To the engine, all analysts are one user. The prefix keeps them from sharing a session.
  for (const session of params.getAll('session_id').slice(0, 1))
    params.set('session_id', analystQueryPrefix(query.user) + session);
  const upstream = request({
    host: '127.0.0.1',
    port: enginePort,
    method: incoming.method,
    path: `/?${params.toString()}`,
    agent: false,
    headers: {
      ...headers,
      'content-length': query.body.length,
      'x-clickhouse-user': PROXY_USER,
      'x-clickhouse-key': enginePassword,
    },
  });
  response.once('close', () => upstream.destroy());
  upstream.once('error', () => {
    if (response.headersSent) response.destroy();
    else respond(response, engineUnavailable);
  });
  upstream.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => undefined);
  });
  upstream.end(query.body);
};
