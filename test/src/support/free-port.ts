import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1');
  const free = await Promise.race([
    once(server, 'listening').then(() => true),
    new Promise<boolean>((resolve) => server.once('error', () => resolve(false))),
  ]);
  await new Promise((resolve) => server.close(resolve));
  return free;
};

/** Returns a port below the ephemeral range, so that no other process receives it before it is used, or used again. */
export const freePort = async (): Promise<string> => {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    if (await isFree(port)) return String(port);
  }
};
