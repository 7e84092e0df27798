import { createSocket, type Socket } from 'node:dgram';

/**
 * Says to all other processes that choose ports on this machine that this one is chosen, before anybody listens on it: the UDP port
 * of the same number is taken until the claim is closed or this process ends. It leaves TCP alone, and the system gives it to one
 * process only. Undefined: somebody else has chosen it.
 */
export const claimPort = (port: number): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const claim = createSocket('udp4');
    claim.once('error', () => {
      claim.close();
      resolve(undefined);
    });
    claim.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      resolve(claim.unref());
    });
  });
