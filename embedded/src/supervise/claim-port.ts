import { createSocket } from 'node:dgram';

/**
 * Says to all other processes that choose ports on this machine that this one is chosen, before anybody listens on it: the UDP port
 * of the same number is taken for as long as this process lives, or until `release`. It leaves TCP alone, the system gives it to
 * one process only, and it is free again when that process dies. Undefined: somebody else has chosen it.
 */
export const claimPort = (port: number): Promise<{ release(): void } | undefined> =>
  new Promise((resolve) => {
    const claim = createSocket('udp4');
    claim.once('error', () => {
      claim.close();
      resolve(undefined);
    });
    claim.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      claim.unref();
      resolve({ release: () => void claim.close() });
    });
  });
