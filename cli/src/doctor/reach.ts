import { connect } from 'node:net';
import type { Finding } from './finding.ts';

const patienceMs = 3_000;

/** Why a request did not get through, in a word. */
export const whyNot = (error: unknown): string => {
  const { cause, message } = error as { cause?: { code?: string }; message?: string };
  return cause?.code ?? message ?? String(error);
};

/** Whether a service says that it is ready, asked from this machine. */
export const reachService = async (name: string, url: string, variable: string): Promise<Finding> => {
  try {
    const answer = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(patienceMs) });
    const { message = '' } = (await answer.json()) as { message?: string };
    if (answer.ok) return { check: name, outcome: 'ok', found: `ready at ${url}`, advice: null };
    const advice = 'What it names does not answer it; doctor at the operations server says more.';
    return { check: name, outcome: 'failed', found: `not ready at ${url}: ${message}`, advice };
  } catch (error) {
    const found = `does not answer at ${url}: ${whyNot(error)}`;
    return { check: name, outcome: 'failed', found, advice: `Start it, or set ${variable} to where it is.` };
  }
};

const connects = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: patienceMs });
    const end = (why?: string) => {
      socket.destroy();
      resolve(why);
    };
    socket
      .once('connect', () => end())
      .once('timeout', () => end('no answer'))
      .once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });

/** Whether anybody listens where an engine of this machine should be. */
export const reachEngine = async (name: string, address: string): Promise<Finding> => {
  const { hostname, port } = new URL(address.includes('://') ? address : `tcp://${address}`);
  const why = await connects(hostname, Number(port));
  if (why === undefined)
    return { check: name, outcome: 'ok', found: `something listens at ${hostname}:${port}`, advice: null };
  const advice = 'npm start starts it; if it does not come up, what the service prints says why.';
  return { check: name, outcome: 'failed', found: `nothing listens at ${hostname}:${port}: ${why}`, advice };
};
