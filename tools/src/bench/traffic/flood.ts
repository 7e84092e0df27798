import { Agent, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { serveRequests } from '../harness/worker.ts';
import { createBodies } from './plays.ts';

export interface FloodRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of plays in each request. With 0, the requests have no events and are invalid. */
  readonly events: number;
  /** Number of requests to send per second, regardless of how fast the service responds. */
  readonly perSecond: number;
  readonly forMs: number;
}

export interface FloodResult {
  /** Event id of the first play in each accepted request. */
  readonly accepted: readonly string[];
  /** Latency of each request that was rejected with 429 or 503 and `Retry-After`. */
  readonly refusedMs: readonly number[];
  /** Number of requests that were neither accepted nor counted in `refusedMs`, by status or error code. */
  readonly otherOutcomes: Readonly<Record<string, number>>;
  readonly wallMs: number;
  /**
   * 95th percentile of this process's event loop delay. A high value means that the sender itself was overloaded; it shares the
   * cores with the service.
   */
  readonly senderDelayMs: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const firstId = /"eventId":"([^"]+)"/;
const tickMs = 20;

/** Sends requests at a constant rate; replies when all of them have been answered or have failed. */
serveRequests(async ({ url, headers, events, perSecond, forMs }: FloodRequest): Promise<FloodResult> => {
  const next = createBodies(events, `flood-${process.pid}-`);
  const accepted: string[] = [];
  const refusedMs: number[] = [];
  const otherOutcomes: Record<string, number> = {};
  const countOther = (outcome: string) => void (otherOutcomes[outcome] = (otherOutcomes[outcome] ?? 0) + 1);

  const post = () =>
    new Promise<void>((resolve) => {
      const body = next();
      const began = performance.now();
      const options = { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } };
      const sent = request(url, options, (response) => {
        response.resume().once('close', resolve);
        const { statusCode = 0 } = response;
        if (statusCode === 202) accepted.push(firstId.exec(body.toString('utf8', 0, 200))![1]!);
        else if ([429, 503].includes(statusCode) && response.headers['retry-after'] !== undefined)
          refusedMs.push(performance.now() - began);
        else countOther(String(statusCode));
      });
      sent.once('error', (error: NodeJS.ErrnoException) => {
        countOther(error.code ?? error.message);
        resolve();
      });
      sent.end(body);
    });

  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const began = performance.now();
  const pending: Promise<void>[] = [];
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - began;
      const due = Math.min(elapsedMs, forMs) * (perSecond / 1_000);
      while (pending.length < due) pending.push(post());
      if (elapsedMs < forMs) return;
      clearInterval(timer);
      resolve();
    }, tickMs);
  });
  const wallMs = performance.now() - began;
  const senderDelayMs = delay.percentile(95) / 1_000_000;
  await Promise.all(pending);
  return { accepted, refusedMs, otherOutcomes, wallMs, senderDelayMs };
});
