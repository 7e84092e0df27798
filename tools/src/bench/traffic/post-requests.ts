import { Agent, request, type RequestOptions } from 'node:http';
import type { Work } from '../harness/processes.ts';
import { handleRequests } from '../harness/child-process.ts';
import { createBodies } from './body.ts';

export interface PostRequests {
  readonly url: string;
  /** Of a good answer. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** In each request. */
  readonly events: number;
  readonly connections: number;
  readonly forMs: number;
  /** The same few requests over and over, one for each connection, in place of new ones. */
  readonly again?: true;
}

interface Target {
  readonly options: RequestOptions;
  readonly headers: PostRequests['headers'];
  readonly next: () => Buffer;
}

const targets = new Map<string, Target>();

const inTurns = (kept: readonly Buffer[]): (() => Buffer) => {
  let turn = 0;
  return () => kept[(turn += 1) % kept.length]!;
};

/** Connections and bodies of a target outlast a slice. */
const targetOf = ({ url, headers, events, connections, again }: PostRequests): Target => {
  const key = `${url} ${events} ${again ? 'again' : ''}`;
  const { hostname, port, pathname, search } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const options = { hostname, port, path: pathname + search, method: 'POST', agent };
  const known = targets.get(key);
  if (known) return known;
  const fresh = createBodies(events, `b${targets.size}-${process.pid}-`);
  const target = { options, headers, next: again ? inTurns(Array.from({ length: connections }, fresh)) : fresh };
  targets.set(key, target);
  return target;
};

const post = ({ options, headers, next }: Target, status: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const body = next();
    const sent = request({ ...options, headers: { ...headers, 'content-length': body.length } }, (response) => {
      response.resume().once('end', () => {
        if (response.statusCode === status) resolve();
        else reject(new Error(`${options.path} answered ${response.statusCode}`));
      });
    });
    sent.once('error', reject).end(body);
  });

/** Each connection sends its next request when the one before is answered; what is on its way at the end is waited for. */
handleRequests(async (asked: PostRequests): Promise<Work> => {
  const target = targetOf(asked);
  const latenciesMs: number[] = [];
  const began = performance.now();
  const connection = async () => {
    for (let now = performance.now(); now - began < asked.forMs; now = performance.now()) {
      await post(target, asked.status);
      latenciesMs.push(performance.now() - now);
    }
  };
  await Promise.all(Array.from({ length: asked.connections }, connection));
  return { units: latenciesMs.length * asked.events, wallMs: performance.now() - began, latenciesMs };
});
