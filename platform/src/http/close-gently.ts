import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Prepares a server to be closed without cutting answers off: the returned function stops listening, ends every connection that
 * has no request (Node's own way keeps those that never had one), the others after their answer, and all after `drainMs`.
 */
export const closeGently = (server: Server, drainMs: number): (() => Promise<void>) => {
  const requests = new Map<Socket, number>();
  let stopping = false;
  server.on('connection', (socket: Socket) => {
    requests.set(socket, 0);
    socket.once('close', () => requests.delete(socket));
  });
  server.on('request', ({ socket }, response) => {
    requests.set(socket, (requests.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (requests.get(socket) ?? 1) - 1;
      if (requests.has(socket)) requests.set(socket, left);
      if (stopping && left === 0) socket.destroySoon();
    });
  });
  return () =>
    new Promise((resolve) => {
      stopping = true;
      if (!server.listening) {
        resolve();
        return;
      }
      const insist = setTimeout(() => server.closeAllConnections(), drainMs);
      server.close(() => {
        clearTimeout(insist);
        resolve();
      });
      for (const [socket, running] of requests) if (running === 0) socket.destroySoon();
    });
};
