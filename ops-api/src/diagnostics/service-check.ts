import { type Finding, type ReadyResponse, reportProblem, reportReadyService } from '@popsvc/contracts/diagnostics';
import type { ServiceEndpoint } from './dependencies.ts';
import { describeFailure } from './failures.ts';

const timeoutMs = 3_000;

/** Parses a JSON body. The message of a body that is no JSON object is the body itself. */
const parseBody = (body: string): ReadyResponse => {
  try {
    return { message: body, ...(JSON.parse(body) as ReadyResponse) };
  } catch {
    return { message: body };
  }
};

/** Checks whether another process of the installation is ready. */
export const checkService = async ({ name, url, variable }: ServiceEndpoint): Promise<readonly Finding[]> => {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(timeoutMs) });
    const body = parseBody(await response.text());
    if (response.ok) return [reportReadyService(name, url, body)];
    const found = `not ready at ${url}: ${String(body.message).slice(0, 300)}`;
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
