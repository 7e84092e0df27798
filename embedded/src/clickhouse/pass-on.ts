import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream';
import { GATE_HEADER } from './doors.ts';
import type { Asked } from './gate-query.ts';

/** Headers that pass; what says who asks is written anew. */
const passed = [
  'accept',
  'accept-encoding',
  'content-type',
  'user-agent',
  'x-clickhouse-database',
  'x-clickhouse-format',
];

/** Answers without asking the engine. */
export const say = (response: ServerResponse, status: number, message: string): void => {
  const challenge = status === 401 ? { 'www-authenticate': 'Basic realm="ClickHouse"' } : {};
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close', ...challenge });
  response.end(`${message}\n`);
};

/** Asks the engine, and passes on what it says as it comes; a reader who leaves ends the query. */
export const passOn = (
  asked: Asked,
  incoming: IncomingMessage,
  response: ServerResponse,
  { enginePort, secret }: { readonly enginePort: number; readonly secret: string },
): void => {
  const headers = Object.fromEntries(
    passed.flatMap((name) => (incoming.headers[name] === undefined ? [] : [[name, incoming.headers[name]]])),
  );
  const upstream = request({
    host: '127.0.0.1',
    port: enginePort,
    method: incoming.method,
    path: `/?${asked.params.toString()}`,
    agent: false,
    headers: {
      ...headers,
      'content-length': asked.body.length,
      'x-clickhouse-user': asked.user,
      'x-clickhouse-key': asked.password,
      [GATE_HEADER]: secret,
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
