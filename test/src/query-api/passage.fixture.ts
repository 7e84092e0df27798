import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A way to a server that can be cut, as when the server dies. */
export interface Passage {
  readonly url: string;
  cut(): void;
  close(): void;
}

export const openPassage = async (to: string): Promise<Passage> => {
  const { hostname, port } = new URL(to);
  const open = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket
        .on('error', () => undefined)
        .once('close', () => {
          open.delete(socket);
          near.destroy();
          far.destroy();
        });
    }
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = () => {
    for (const socket of open) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    close() {
      server.close();
      cut();
    },
  };
};
