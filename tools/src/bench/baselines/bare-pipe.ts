import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { handleRequests } from '../harness/child-process.ts';
import type { Replay } from './replay.ts';

/** Answers every request with what one request is answered, passed on by Node as it comes: nothing is looked at, nothing is counted. */
handleRequests(async ({ url, method, headers, body }: Replay): Promise<{ readonly port: number }> => {
  const server = createServer((_, outgoing) => {
    request(url, { method, headers }, (incoming) => incoming.pipe(outgoing)).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port };
});
