import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type Reply = (response: ServerResponse, heard: Heard) => void;

export interface ScriptedServer {
  readonly url: string;
  /** What was asked, in order. */
  readonly heard: Heard[];
  close(): Promise<void>;
}

/** A server with the faults a test wants: `replyTo` says how the next request is answered. */
export const scriptedServer = async (replyTo: (heard: Heard, index: number) => Reply): Promise<ScriptedServer> => {
  const heard: Heard[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request;
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const asked = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
      heard.push(asked);
      replyTo(asked, heard.length - 1)(response, asked);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));

export const refusal = (
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
  details: readonly object[] = status === 401 ? [] : [{ path: 'x', message: 'y' }],
): Reply =>
  json(
    status,
    {
      status: false,
      message: `no: ${code}`,
      error: { code, details },
      request_id: 'r-1',
    },
    headers,
  );

/** Answers of the token endpoint: token-1, token-2 and so on. */
export const tokens = (expiresIn: number) => {
  let given = 0;
  return (): Reply => json(200, { access_token: `token-${++given}`, token_type: 'Bearer', expires_in: expiresIn });
};

export const empty: Reply = json(200, {
  status: true,
  message: 'm',
  data: { total: 0, limit: 5000, next_after: null, count: 0, rows: [] },
});

/** Breaks off. */
export const hangUp: Reply = (response) => response.socket?.destroy();

/** Begins an answer and breaks off. */
export const cutAfter =
  (headers: Readonly<Record<string, string>>, ...parts: readonly (string | Buffer)[]): Reply =>
  (response) => {
    response.writeHead(200, headers);
    for (const part of parts) response.write(part);
    setTimeout(() => response.socket?.destroy(), 20);
  };
