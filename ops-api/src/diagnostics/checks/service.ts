import { type Finding, type ReadyResponse, reportReadyService, serviceCheck } from '@popsvc/contracts/diagnostics';
import type { ServiceEndpoint, ServiceEvaluation } from '../dependencies.ts';
import { describeFailure } from '../failures.ts';
import type { RecentIntake } from './refusals.ts';

const timeoutMs = 3_000;

const parseBody = (body: string): ReadyResponse => {
  try {
    return { message: body, ...(JSON.parse(body) as ReadyResponse) };
  } catch {
    return { message: body };
  }
};

const checkService = async ({ name, url, variable }: ServiceEndpoint): Promise<Finding> => {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(timeoutMs) });
    const body = parseBody(await response.text());
    if (response.ok) return reportReadyService(name, url, body);
    const found = `not ready at ${url}: ${String(body.message).slice(0, 300)}`;
    return serviceCheck.problem('not-ready', { subject: name, found });
  } catch (error) {
    const found = `does not answer at ${url}: ${describeFailure(error)}`;
    const detail = `${variable} of the projectors`;
    return serviceCheck.problem('not-answering', { subject: name, found, detail });
  }
};

export const services: ServiceEvaluation = {
  check: serviceCheck,
  evaluate: (dependencies) => Promise.all(dependencies.services.map(checkService)),
};

/** The statistics of the newest minutes may not be stored yet. */
const ignoredMinutes = 2;

export const judgeIntakeReports = ({ history }: Pick<RecentIntake, 'history'>): Finding => {
  const subject = 'command-api';
  const lastReported = history.findLastIndex(({ accepted }) => accepted !== null);
  if (lastReported < 0 || lastReported >= history.length - ignoredMinutes)
    return serviceCheck.ok({ subject, found: 'reports its intake, or has not started' });
  return serviceCheck.problem('not-reporting', {
    subject,
    found: 'no process reports its intake',
    sinceMs: Date.parse(history[lastReported + 1]!.minute),
  });
};
