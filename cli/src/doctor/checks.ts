import { connect } from 'node:net';
import createFetchClient from 'openapi-fetch';
import type { paths } from '../generated/ops.ts';
import { describeNetworkError } from '../output/cli-error.ts';
import type { ServiceLocation } from '../service-client/find-service.ts';
import type { OpsResponse, OpsSchema } from '../service-client/ops-client.ts';

export type Diagnosis = OpsResponse<'/ops/v1/doctor'>;
export type Finding = Diagnosis['findings'][number];

const operationsServer = 'operations server';
const doctorTimeoutMs = 20_000;
const connectTimeoutMs = 3_000;

const ok = (check: string, found: string): Finding => ({ check, outcome: 'ok', found, advice: null });
const failed = (check: string, found: string, advice: string): Finding => ({ check, outcome: 'failed', found, advice });

export interface OperationsServerCheck {
  readonly isReachable: boolean;
  /** Of this check, and those that the server reports. */
  readonly findings: readonly Finding[];
}

const tokenAdvice = 'Set POPSVC_OPERATOR_TOKEN to the token that the projectors were started with.';

const explainStatus = (status: number, url: string): Finding => {
  if (status === 401) return failed(operationsServer, `answers at ${url} and rejects the operator token`, tokenAdvice);
  if (status === 404)
    return failed(
      operationsServer,
      `the server at ${url} has no doctor`,
      'Set POPSVC_OPS_URL to the operations server (port 8082), of the same version as this command line.',
    );
  return failed(operationsServer, `answers at ${url} with status ${status}`, 'See the log of the projectors.');
};

const readOrError = (read: () => string): string | Error => {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
};

/** Requests the diagnosis of the operations server. Failures to do so are findings too. */
export const checkOperationsServer = async (service: ServiceLocation): Promise<OperationsServerCheck> => {
  const url = readOrError(() => service.opsUrl);
  if (url instanceof Error) {
    const advice = 'Set POPSVC_OPS_URL, for example to http://localhost:8082.';
    return { isReachable: false, findings: [failed(operationsServer, url.message, advice)] };
  }
  const token = readOrError(() => service.operatorToken);
  if (token instanceof Error)
    return { isReachable: true, findings: [failed(operationsServer, token.message, tokenAdvice)] };
  const requestedAtMs = Date.now();
  let respondedAtMs = requestedAtMs;
  const ops = createFetchClient<paths>({
    baseUrl: url,
    headers: { authorization: `Bearer ${token}` },
    async fetch(request) {
      const response = await fetch(request, { redirect: 'manual', signal: AbortSignal.timeout(doctorTimeoutMs) });
      respondedAtMs = Date.now();
      return response;
    },
  });
  try {
    const { data, response } = await ops.GET('/ops/v1/doctor');
    if (!data) return { isReachable: true, findings: [explainStatus(response.status, url)] };
    const clockFindings = compareClocks(response.headers.get('date'), requestedAtMs, respondedAtMs);
    const answers = ok(operationsServer, `answers at ${url}`);
    return { isReachable: true, findings: [answers, ...clockFindings, ...data.findings] };
  } catch (error) {
    const found = `does not answer at ${url}: ${describeNetworkError(error)}`;
    const advice = 'Start the service (npm start, or the projectors), or set POPSVC_OPS_URL to its address.';
    return { isReachable: false, findings: [failed(operationsServer, found, advice)] };
  }
};

/** Smaller differences have no effect. */
const minClockDifferenceMs = 5_000;
/** The `Date` header has a resolution of seconds. */
const dateResolutionMs = 1_000;

/**
 * Compares the clock of a server with the local one. The server wrote the `Date` header of its response at some time between request
 * and response (ms since 1970), so only the part of the difference outside of this interval is certain.
 */
export const compareClocks = (
  date: string | null,
  requestedAtMs: number,
  respondedAtMs: number,
): readonly Finding[] => {
  const serverMs = Date.parse(date ?? '');
  const aheadMs = serverMs - respondedAtMs;
  const behindMs = requestedAtMs - serverMs - dateResolutionMs;
  const differenceMs = Math.max(aheadMs, behindMs);
  // Written so that NaN, from a missing header, gives no finding.
  if (!(differenceMs >= minClockDifferenceMs)) return [];
  const direction = behindMs > aheadMs ? 'behind' : 'ahead of';
  return [
    {
      check: 'clock of this machine',
      outcome: 'warning',
      found: `the operations server is ${Math.round(differenceMs / 1_000)} s ${direction} this machine`,
      advice: 'Synchronize both machines with the same time server.',
    },
  ];
};

/** Checks whether a service reports that it is ready. `variable` sets its address. */
export const checkServiceReady = async (name: string, url: string, variable: string): Promise<Finding> => {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(connectTimeoutMs) });
    // Another program at this address may respond with other JSON.
    const { message = '' } = (await response.json()) as Partial<OpsSchema<'Error'>>;
    if (response.ok) return ok(name, `ready at ${url}`);
    const advice = 'The components it names do not answer; the findings of the operations server have details.';
    return failed(name, `not ready at ${url}: ${message}`, advice);
  } catch (error) {
    const found = `does not answer at ${url}: ${describeNetworkError(error)}`;
    return failed(name, found, `Start it, or set ${variable} to its address.`);
  }
};

/** Resolves with the reason why a TCP connection fails, or undefined if it is established. */
const tryToConnect = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: connectTimeoutMs });
    const end = (reason?: string) => {
      socket.destroy();
      resolve(reason);
    };
    socket
      .once('connect', () => end())
      .once('timeout', () => end('no answer'))
      .once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });

/** Checks whether a process listens at the address of an engine on this machine. */
export const checkEngine = async (name: string, address: string): Promise<Finding> => {
  const { hostname, port } = new URL(address.includes('://') ? address : `tcp://${address}`);
  const reason = await tryToConnect(hostname, Number(port));
  if (reason === undefined) return ok(name, `a process listens at ${hostname}:${port}`);
  const advice = 'npm start starts it; if that fails, its output has the reason.';
  return failed(name, `nothing listens at ${hostname}:${port}: ${reason}`, advice);
};
