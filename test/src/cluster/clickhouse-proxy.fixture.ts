import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { addCleanUp } from '@popsvc/tools/rig';

/** A statement on its way to ClickHouse. */
interface ForwardedStatement {
  readonly text: string;
  /** The name of the client; see `application` of the reader and the writer. */
  readonly client: string;
  /** Changes apply to this statement. */
  readonly settings: URLSearchParams;
}

/** Starts a proxy of a ClickHouse server, which calls `onStatement` before it forwards a statement. Returns its address. */
export const startClickHouseProxy = async (
  target: string,
  onStatement: (statement: ForwardedStatement) => void | Promise<void>,
): Promise<string> => {
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url!, target);
      const body = await buffer(request);
      const text = (url.searchParams.get('query') ?? body.toString()).trimStart();
      await onStatement({ text, client: request.headers['user-agent'] ?? '', settings: url.searchParams });
      const { method, headers } = request;
      const forwarded = sendRequest(url, { method, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers);
        answer.once('error', () => response.destroy()).pipe(response);
      });
      forwarded.once('error', () => response.destroy());
      response.once('close', () => forwarded.destroy());
      forwarded.end(body);
    })().catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  addCleanUp(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
