import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Responds to a request. */
export type Reply = (response: ServerResponse, request: ReceivedRequest) => void;

export interface ScriptedServer {
  readonly url: string;
  /** The received requests, in order. */
  readonly requests: ReceivedRequest[];
  close(): Promise<void>;
}

/** Starts a server that responds to each request with the reply that `replyTo` selects. */
export const scriptedServer = async (
  replyTo: (request: ReceivedRequest, index: number) => Reply,
): Promise<ScriptedServer> => {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const { method = '', url = '', headers } = request;
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const received = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
      requests.push(received);
      replyTo(received, requests.length - 1)(response, received);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
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

/** An error response of the service. */
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
      message: `rejected: ${code}`,
      error: { code, details },
      request_id: 'r-1',
    },
    headers,
  );

/** Creates the responses of the token endpoint: token-1, token-2 and so on. */
export const tokens = (expiresIn: number) => {
  let issued = 0;
  return (): Reply => json(200, { access_token: `token-${++issued}`, token_type: 'Bearer', expires_in: expiresIn });
};

/** An empty page of a report. */
export const empty: Reply = json(200, {
  status: true,
  message: 'm',
  data: { total: 0, limit: 5000, next_after: null, count: 0, rows: [] },
});

/** Closes the connection without a response. */
export const hangUp: Reply = (response) => response.socket?.destroy();

/** Begins a response, then closes the connection. */
export const cutAfter =
  (headers: Readonly<Record<string, string>>, ...parts: readonly (string | Buffer)[]): Reply =>
  (response) => {
    response.writeHead(200, headers);
    for (const part of parts) response.write(part);
    setTimeout(() => response.socket?.destroy(), 20);
  };
