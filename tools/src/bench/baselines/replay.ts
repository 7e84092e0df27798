import { Agent, request } from 'node:http';
import { countLineEnds } from '../../rig/clients.ts';

/** A request with everything that makes it what it is, ready to be sent again. */
export interface Replay {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface Received {
  readonly bytes: number;
  /** Line ends met. */
  readonly lines: number;
  readonly firstByteMs: number;
}

const agent = new Agent({ keepAlive: true });

/** Sends it and reads the answer to its end; throws on any status but 200. */
export const send = ({ url, method, headers, body }: Replay, count = false): Promise<Received> =>
  new Promise((resolve, reject) => {
    const began = performance.now();
    const sent = request(url, { method, headers, agent }, (response) => {
      let [bytes, lines, firstByteMs] = [0, 0, 0];
      response.on('data', (chunk: Buffer) => {
        if (bytes === 0) firstByteMs = performance.now() - began;
        bytes += chunk.length;
        if (count) lines += countLineEnds(chunk);
      });
      response.once('end', () => {
        if (response.statusCode === 200) resolve({ bytes, lines, firstByteMs });
        else reject(new Error(`${new URL(url).pathname} answered ${response.statusCode}`));
      });
      response.once('error', reject);
    });
    sent.once('error', reject).end(body);
  });

export const get = (url: string, headers: Replay['headers']): Replay => ({
  url,
  method: 'GET',
  headers,
  body: Buffer.alloc(0),
});
