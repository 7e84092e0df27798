import { connect } from 'node:net';

/** Sends bytes unchanged and returns everything received until the connection ends or the timeout. */
export const rawRequest = (port: number, text: string, waitMs = 60_000): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    const end = () => {
      clearTimeout(timer);
      socket.destroy();
      resolve(answer);
    };
    const timer = setTimeout(end, waitMs);
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1'))).on('close', end);
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? end() : reject(error)));
  });
