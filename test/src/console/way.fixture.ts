import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** A way to a server that can be cut and mended in a moment, as if the server were away. */
export interface Way {
  readonly url: string;
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export const wayTo = async (target: string): Promise<Way> => {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.on('error', () => undefined);
      socket.pipe(other);
    }
    if (isCut) near.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    mend: () => void (isCut = false),
    close() {
      cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};
