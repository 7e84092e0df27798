import type { Service } from '../service-client/find-service.ts';
import { clockFindings } from './clock.ts';
import type { Diagnosis, Finding } from './finding.ts';
import { whyNot } from './reach.ts';

const check = 'operations server';
const patienceMs = 20_000;

const failed = (found: string, advice: string): Finding => ({ check, outcome: 'failed', found, advice });
const ok = (found: string): Finding => ({ check, outcome: 'ok', found, advice: null });

/** What the operations server was asked, and what it found; `isThere`: whether it answered at all. */
export interface Heard {
  readonly isThere: boolean;
  readonly findings: readonly Finding[];
}

const known = <T>(read: () => T): T | Error => {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
};

const refused = (status: number, url: string): Finding => {
  if (status === 401)
    return failed(
      `answers at ${url} and refuses the operator token`,
      'Set POPSVC_OPERATOR_TOKEN to the one the projectors were started with.',
    );
  if (status === 404)
    return failed(
      `what answers at ${url} knows no doctor`,
      'POPSVC_OPS_URL must be the operations server (port 8082), of the same build as this command line.',
    );
  return failed(`answers at ${url} with ${status}`, 'The log of the projectors says why.');
};

/** Asks the operations server what is wrong. That it cannot be asked is an answer, too. */
export const askDoctor = async (service: Service): Promise<Heard> => {
  const url = known(() => service.opsUrl);
  if (url instanceof Error)
    return {
      isThere: false,
      findings: [failed(url.message, 'Set POPSVC_OPS_URL, for example to http://localhost:8082.')],
    };
  const token = known(() => service.operatorToken);
  if (token instanceof Error)
    return {
      isThere: true,
      findings: [failed(token.message, 'Set POPSVC_OPERATOR_TOKEN to the one the projectors were started with.')],
    };
  const asked = Date.now();
  try {
    const answer = await fetch(`${url}/ops/v1/doctor`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'manual',
      signal: AbortSignal.timeout(patienceMs),
    });
    const heard = Date.now();
    if (!answer.ok) {
      await answer.body?.cancel();
      return { isThere: true, findings: [refused(answer.status, url)] };
    }
    const { findings } = (await answer.json()) as Diagnosis;
    return {
      isThere: true,
      findings: [ok(`answers at ${url}`), ...clockFindings(answer.headers.get('date'), asked, heard), ...findings],
    };
  } catch (error) {
    const advice = 'Start the service (npm start, or the projectors), or set POPSVC_OPS_URL to where it is.';
    return { isThere: false, findings: [failed(`does not answer at ${url}: ${whyNot(error)}`, advice)] };
  }
};
