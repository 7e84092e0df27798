import { Agent, request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** Runs in a worker thread: sends one request over several connections without a pause and counts the statuses, until a message. */
const { url, headers, body, connections } = workerData as {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly connections: number;
};

const agent = new Agent({ keepAlive: true, maxSockets: connections });
const statuses: Record<number, number> = {};
let isOver = false;

const post = () =>
  new Promise<number>((resolve) => {
    const options = { method: 'POST', agent, headers: { ...headers, 'Content-Length': body.length } };
    request(url, options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    })
      .once('error', () => resolve(0))
      .end(body);
  });

const sendUntilOver = async () => {
  while (!isOver) {
    const status = await post();
    statuses[status] = (statuses[status] ?? 0) + 1;
  }
};

parentPort!.once('message', () => (isOver = true));
await Promise.all(Array.from({ length: connections }, sendUntilOver));
agent.destroy();
parentPort!.postMessage(statuses);
