import type { Server } from 'node:http';
import { ConfigError } from '../config/index.ts';

export interface ListenOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Default: all addresses of this machine. */
  readonly host?: string;
  /** The variable the port came from, for the message when it is taken. */
  readonly variable?: string;
}

/** The port in use, once the server listens. */
export const listen = (server: Server, { port, host, variable = 'its variable' }: ListenOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new ConfigError(`Port ${port} is taken by another program. Stop it, or set ${variable} to another port.`)
          : error,
      );
    });
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : port);
    });
  });
