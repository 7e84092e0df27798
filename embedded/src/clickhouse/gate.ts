import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { GATE_HEADER } from './doors.ts';
import { type Asked, readAsked } from './gate-query.ts';

export interface GateOptions {
  readonly enginePort: number;
  readonly secret: string;
  /** Who may come in. */
  readonly analysts: ReadonlySet<string>;
}

/** What is answered here, without asking the engine. */
interface Said {
  readonly status: number;
  readonly message: string;
}

/** Analysts ask; they send nothing that is long. */
const maxBodyBytes = 1024 * 1024;

/** Headers that pass; what says who asks is written anew. */
const passed = [
  'accept',
  'accept-encoding',
  'content-type',
  'user-agent',
  'x-clickhouse-database',
  'x-clickhouse-format',
];

const say = (response: ServerResponse, status: number, message: string): void => {
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="ClickHouse"' } : {};
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close', ...challenge });
  response.end(`${message}\n`);
};

const bodyOf = async (incoming: IncomingMessage): Promise<Buffer | undefined> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Asks the engine, and passes on what it says as it comes; a reader who leaves ends the query. */
const ask = (asked: Asked, incoming: IncomingMessage, response: ServerResponse, options: GateOptions): void => {
  const headers = Object.fromEntries(
    passed.flatMap((name) => (incoming.headers[name] === undefined ? [] : [[name, incoming.headers[name]]])),
  );
  const upstream = request({
    host: '127.0.0.1',
    port: options.enginePort,
    method: incoming.method,
    path: `/?${asked.params.toString()}`,
    agent: false,
    headers: {
      ...headers,
      'content-length': asked.body.length,
      'x-clickhouse-user': asked.user,
      'x-clickhouse-key': asked.password,
      [GATE_HEADER]: options.secret,
    },
  });
  response.once('close', () => upstream.destroy());
  upstream.once('error', () => (response.headersSent ? response.destroy() : say(response, 503, 'The engine is away.')));
  upstream.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    pipeline(answer, response, () => undefined);
  });
  upstream.end(asked.body);
};

const answered = async (incoming: IncomingMessage, analysts: GateOptions['analysts']): Promise<Asked | Said> => {
  const { method = '', url = '/', headers } = incoming;
  if (url === '/ping') return { status: 200, message: 'Ok.' };
  if (!['GET', 'POST'].includes(method)) return { status: 405, message: 'Ask by GET or POST.' };
  const body = await bodyOf(incoming);
  if (!body) return { status: 413, message: 'A query has at most 1 MiB.' };
  return readAsked({ url, headers, body }, analysts);
};

const serve = async (incoming: IncomingMessage, response: ServerResponse, options: GateOptions): Promise<void> => {
  const found = await answered(incoming, options.analysts);
  if ('status' in found) say(response, found.status, found.message);
  else ask(found, incoming, response, options);
};

/** Where analysts come in on one machine: what must not reach the engine is refused here, since the engine would do it. */
export const createGate = (options: GateOptions): Server =>
  createServer((incoming, response) => {
    serve(incoming, response, options).catch(() => response.destroy());
  });
