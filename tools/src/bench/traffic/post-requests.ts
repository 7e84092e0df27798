import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request, type RequestOptions } from 'node:http';
import type { Work } from '../harness/process-usage.ts';
import { serveRequests } from '../harness/worker.ts';
import { createBodies } from './plays.ts';

export interface PostRequests {
  readonly url: string;
  /** Expected status of the responses; any other status fails the benchmark. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of events in each request. */
  readonly events: number;
  readonly connections: number;
  readonly forMs: number;
  /** Minimum time between the beginnings of two requests on a connection; default: 0. */
  readonly everyMs?: number;
  /** True to repeat the same requests, one for each connection, instead of sending new ones. */
  readonly repeat?: true;
}

interface Target {
  readonly options: RequestOptions;
  readonly headers: PostRequests['headers'];
  readonly next: () => Buffer;
}

const targets = new Map<string, Target>();

const cycle = (bodies: readonly Buffer[]): (() => Buffer) => {
  let count = 0;
  return () => bodies[(count += 1) % bodies.length]!;
};

/** Returns the connections and the request bodies for these requests. Creates them in the first slice; later slices reuse them. */
const targetOf = ({ url, headers, events, connections, repeat }: PostRequests): Target => {
  const key = `${url} ${events} ${repeat ? 'repeat' : ''}`;
  const { hostname, port, pathname, search } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const options = { hostname, port, path: pathname + search, method: 'POST', agent };
  const known = targets.get(key);
  if (known) return known;
  const fresh = createBodies(events, `b${targets.size}-${process.pid}-`);
  const target = { options, headers, next: repeat ? cycle(Array.from({ length: connections }, fresh)) : fresh };
  targets.set(key, target);
  return target;
};

const post = ({ options, headers, next }: Target, status: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const body = next();
    const sent = request({ ...options, headers: { ...headers, 'content-length': body.length } }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === status) resolve();
        else reject(new Error(`${options.path} returned ${response.statusCode}; expected ${status}`));
      });
    });
    sent.once('error', reject).end(body);
  });

/**
 * Posts requests for `forMs` and waits for the last responses. Each connection sends its next request after the response to the previous
 * one.
 */
serveRequests(async (request: PostRequests): Promise<Work> => {
  const target = targetOf(request);
  const { everyMs = 0 } = request;
  const latenciesMs: number[] = [];
  const began = performance.now();
  const connection = async () => {
    for (let now = performance.now(); now - began < request.forMs; now = performance.now()) {
      await post(target, request.status);
      latenciesMs.push(performance.now() - now);
      if (everyMs > 0) await sleep(now + everyMs - performance.now());
    }
  };
  await Promise.all(Array.from({ length: request.connections }, connection));
  return { units: latenciesMs.length * request.events, wallMs: performance.now() - began, latenciesMs };
});
