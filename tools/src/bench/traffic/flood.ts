import { Agent, request } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { handleRequests } from '../harness/child-process.ts';
import { createBodies } from './body.ts';

export interface Flood {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly events: number;
  /** Requests, whatever becomes of those before. */
  readonly perSecond: number;
  readonly forMs: number;
}

export interface Flooded {
  /** Id of the first event of each request that was accepted. */
  readonly accepted: readonly string[];
  /** How long each refusal took that said when to come again. */
  readonly refusedMs: readonly number[];
  /** Requests that ended in any other way, by status or error. */
  readonly otherwise: Readonly<Record<string, number>>;
  readonly wallMs: number;
  /** By how much this process itself was late, 95th percentile: it shares the cores with whom it sends to. */
  readonly ownDelayMs: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const firstId = /"eventId":"([^"]+)"/;
const tickMs = 20;

/** Sends at a pace of its own; resolves when the last one is answered. */
handleRequests(async ({ url, headers, events, perSecond, forMs }: Flood): Promise<Flooded> => {
  const next = createBodies(events, `flood-${process.pid}-`);
  const accepted: string[] = [];
  const refusedMs: number[] = [];
  const otherwise: Record<string, number> = {};
  const other = (word: string) => void (otherwise[word] = (otherwise[word] ?? 0) + 1);

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
        else other(String(statusCode));
      });
      sent.once('error', (error: NodeJS.ErrnoException) => {
        other(error.code ?? error.message);
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
  const ownDelayMs = delay.percentile(95) / 1_000_000;
  await Promise.all(pending);
  return { accepted, refusedMs, otherwise, wallMs, ownDelayMs };
});
