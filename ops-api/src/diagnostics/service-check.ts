import { type Finding, reportOk, reportProblem } from '@popsvc/contracts/diagnostics';
import type { ServiceEndpoint } from './dependencies.ts';
import { describeFailure } from './failures.ts';

const timeoutMs = 3_000;

/** Returns the message in a JSON error body, or the body itself if it has none. */
const messageOf = (body: string): string => {
  try {
    return (JSON.parse(body) as { message?: string }).message ?? body;
  } catch {
    return body;
  }
};

/** Checks whether another process of the installation is ready. */
export const checkService = async ({ name, url, variable }: ServiceEndpoint): Promise<readonly Finding[]> => {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(timeoutMs) });
    const body = await response.text();
    if (response.ok) return [reportOk('service', { subject: name, found: `ready at ${url}` })];
    const found = `not ready at ${url}: ${messageOf(body).slice(0, 300)}`;
    return [reportProblem('service', 'not-ready', { subject: name, found })];
  } catch (error) {
    const found = `does not answer at ${url}: ${describeFailure(error)}`;
    return [
      reportProblem('service', 'not-answering', {
        subject: name,
        found,
        facts: { variable: `${variable} of the projectors` },
      }),
    ];
  }
};
