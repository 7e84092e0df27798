import { connect, type Socket } from 'node:net';

/**
 * Keeps uploads to one address under way, each of which sends a byte a second: begins a new one when the service ends one. Returns a
 * function that ends them.
 */
export const holdUploads = (uploadUrl: string, count: number): (() => void) => {
  const { port, hostname, pathname, search } = new URL(uploadUrl);
  const sockets = new Set<Socket>();
  let isOver = false;
  const begin = () => {
    if (isOver) return;
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    sockets.add(socket.resume());
    socket.once('close', () => {
      sockets.delete(socket);
      setTimeout(begin, 1_000).unref();
    });
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-ndjson\r\nContent-Length: 100000\r\n\r\n`,
    );
  };
  for (let index = 0; index < count; index++) begin();
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('x');
  }, 1_000);
  return () => {
    isOver = true;
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  };
};
