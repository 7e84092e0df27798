import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveRequests } from '../harness/worker.ts';
import type { RecordedRequest } from './recorded-requests.ts';

/**
 * Starts a server. For every request, the server sends the recorded request to ClickHouse and streams ClickHouse's response back
 * unchanged.
 */
serveRequests(async ({ url, method, headers, body }: RecordedRequest): Promise<{ readonly port: number }> => {
  const server = createServer((_, outgoing) => {
    request(url, { method, headers }, (incoming) => incoming.pipe(outgoing)).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port };
});
