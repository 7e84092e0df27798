import { createServer } from 'node:net';

/** The port is somebody else's; the message tells which one and which variable moves it. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/**
 * A loopback port that can be listened on: the wanted one, or any free one for 0.
 * Asked before an engine starts, because engines say "address in use" in their own words or not at all.
 */
export const choosePort = (wanted: number, variable: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, wanted, variable)));
    probe.listen({ port: wanted, host: '127.0.0.1', exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(address !== null && typeof address === 'object' ? address.port : wanted));
    });
  });

const explained = (error: NodeJS.ErrnoException, port: number, variable: string): Error => {
  if (error.code === 'EADDRINUSE')
    return new PortTaken(`port ${port} is already in use: stop what listens there or set ${variable} to another port`);
  if (error.code === 'EACCES')
    return new PortTaken(`port ${port} may not be used by this user: set ${variable} to another port`);
  return error;
};
