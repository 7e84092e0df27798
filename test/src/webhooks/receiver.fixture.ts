import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export interface ReceivedRequest {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly path: string;
}

/** A subscriber: an HTTP server on this machine that records requests. */
export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: ReceivedRequest[];
  /** Answers the next requests with this status, or as the function does. */
  respond(next: number | RequestListener): void;
  close(): void;
}

export const startReceiver = async (): Promise<Receiver> => {
  const received: ReceivedRequest[] = [];
  let respond: number | RequestListener = 204;
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ headers: request.headers, body, path: request.url ?? '' });
      if (typeof respond === 'number') response.writeHead(respond).end();
      else respond(request, response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    respond: (next) => void (respond = next),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Verifies a request as a subscriber does, and returns its payload. Throws if the signature is wrong. */
export const verifyRequest = ({ body, headers }: ReceivedRequest, secret: string): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>);
