import type { ServiceEndpoint } from './doctor-parts.ts';
import { failed, type Finding, ok } from './finding.ts';
import { reasonOf } from './trouble.ts';

const patienceMs = 3_000;

const messageOf = (text: string): string => {
  try {
    return (JSON.parse(text) as { message?: string }).message ?? text;
  } catch {
    return text;
  }
};

/** Whether another process of the service says that it is ready. */
export const lookAtNeighbour = async ({ name, url, variable }: ServiceEndpoint): Promise<readonly Finding[]> => {
  try {
    const answer = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(patienceMs) });
    const text = await answer.text();
    if (answer.ok) return [ok(name, `ready at ${url}`)];
    return [
      failed(
        name,
        `not ready at ${url}: ${messageOf(text).slice(0, 300)}`,
        'What it names must answer for it; the findings about engines say more. `objects` are uploaded files: DATA_DIR or the S3_ variables of that process.',
      ),
    ];
  } catch (error) {
    return [
      failed(
        name,
        `does not answer at ${url}: ${reasonOf(error)}`,
        `Start it, or set ${variable} of the projectors to where it is.`,
      ),
    ];
  }
};
