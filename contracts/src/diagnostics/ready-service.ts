import { type Finding, reportOk, reportProblem } from './finding.ts';

/** The body of a successful `/readyz` response. Another program may have sent it, so its fields may be missing. */
export interface ReadyResponse {
  readonly message?: string | undefined;
  /** Dependencies by name: `ok`, or what is degraded. */
  readonly checks?: Readonly<Record<string, string>> | undefined;
}

/** Builds the finding for a service whose `/readyz` answered with success: it is ready or degraded. */
export const reportReadyService = (subject: string, url: string, { message, checks = {} }: ReadyResponse): Finding => {
  if (message !== 'degraded') return reportOk('service', { subject, found: `ready at ${url}` });
  const affected = Object.entries(checks).flatMap(([name, result]) => (result === 'ok' ? [] : [`${name}: ${result}`]));
  return reportProblem('service', 'degraded', { subject, found: `degraded at ${url}: ${affected.join('; ')}` });
};
