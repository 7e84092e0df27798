import type { IncomingMessage } from 'node:http';

const forwarded = ['forwarded', 'x-forwarded-for', 'x-real-ip', 'via'];

/** Whether the caller is on this machine: by the peer's address, and not a stranger passed on by a proxy that is. */
export const isLoopback = ({ socket, headers }: IncomingMessage): boolean =>
  /^(?:::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '') && forwarded.every((name) => headers[name] === undefined);
