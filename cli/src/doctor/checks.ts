import { connect } from 'node:net';
import {
  createCheck,
  type Finding,
  type ReadyResponse,
  reportReadyService,
  serviceCheck,
  type Store,
  storeProblems,
  warning,
} from '@popsvc/contracts/diagnostics';
import createFetchClient from 'openapi-fetch';
import type { paths } from '../generated/ops.ts';
import { describeNetworkError } from '../output/cli-error.ts';
import type { ServiceLocation } from '../service-client/find-service.ts';
import type { OpsResponse } from '../service-client/ops-client.ts';

export type Diagnosis = OpsResponse<'/ops/v1/doctor'>;

const operationsServer = { subject: 'operations server' };
const doctorTimeoutMs = 20_000;
const connectTimeoutMs = 3_000;

export interface OperationsServerCheck {
  readonly hasDiagnosis: boolean;
  readonly findings: readonly Finding[];
}

const explainStatus = (status: number, url: string): Finding => {
  if (status === 401) {
    const found = `answers at ${url} and rejects the operator token`;
    return serviceCheck.problem('token-rejected', { ...operationsServer, found });
  }
  if (status === 404)
    return serviceCheck.problem('wrong-server', {
      ...operationsServer,
      found: `the server at ${url} has no doctor`,
    });
  const found = `answers at ${url} with status ${status}`;
  return serviceCheck.problem('request-failed', { ...operationsServer, found });
};

const readOrError = (read: () => string): string | Error => {
  try {
    return read();
  } catch (error) {
    return error as Error;
  }
};

/** An unknown address or token, or a failed request, becomes a finding. */
export const checkOperationsServer = async (service: ServiceLocation): Promise<OperationsServerCheck> => {
  const url = readOrError(() => service.opsUrl);
  if (url instanceof Error) {
    const finding = serviceCheck.problem('address-unknown', { ...operationsServer, found: url.message });
    return { hasDiagnosis: false, findings: [finding] };
  }
  const token = readOrError(() => service.operatorToken);
  if (token instanceof Error) {
    const finding = serviceCheck.problem('token-rejected', { ...operationsServer, found: token.message });
    return { hasDiagnosis: false, findings: [finding] };
  }
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
    if (!data) return { hasDiagnosis: false, findings: [explainStatus(response.status, url)] };
    const clockFindings = compareClocks(response.headers.get('date'), requestedAtMs, respondedAtMs);
    const answers = serviceCheck.ok({ ...operationsServer, found: `answers at ${url}` });
    return { hasDiagnosis: true, findings: [answers, ...clockFindings, ...data.findings] };
  } catch (error) {
    const found = `does not answer at ${url}: ${describeNetworkError(error)}`;
    const finding = serviceCheck.problem('not-answering', { ...operationsServer, found, detail: 'POPSVC_OPS_URL' });
    return { hasDiagnosis: false, findings: [finding] };
  }
};

const clocksCheck = createCheck('clocks', 'The clocks of this machine and of the operations server agree.', {
  apart: warning('Synchronize all machines with one time server (chrony, systemd-timesyncd).'),
});

const minClockDifferenceMs = 5_000;
/** The `Date` header is rounded down to whole seconds. */
const dateResolutionMs = 1_000;

/**
 * The server wrote the `Date` header between `requestedAtMs` and `respondedAtMs`, in ms since 1970. Only a `Date` outside this
 * interval indicates a difference.
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
  // The negated comparison is also true for NaN, which a missing `Date` header causes.
  if (!(differenceMs >= minClockDifferenceMs)) return [];
  const direction = behindMs > aheadMs ? 'behind' : 'ahead of';
  const found = `the operations server is ${Math.round(differenceMs / 1_000)} s ${direction} this machine`;
  return [clocksCheck.problem('apart', { subject: 'of this machine', found })];
};

/** `variable` is the environment variable that sets the address. */
export const checkServiceReady = async (name: string, url: string, variable: string): Promise<Finding> => {
  try {
    const response = await fetch(new URL('/readyz', url), { signal: AbortSignal.timeout(connectTimeoutMs) });
    const body = (await response.json()) as ReadyResponse;
    if (response.ok) return reportReadyService(name, url, body);
    const { message = '' } = body;
    return serviceCheck.problem('not-ready', { subject: name, found: `not ready at ${url}: ${message}` });
  } catch (error) {
    const found = `does not answer at ${url}: ${describeNetworkError(error)}`;
    return serviceCheck.problem('not-answering', { subject: name, found, detail: variable });
  }
};

/** Resolves with the reason for a failure; undefined if the connection succeeds. */
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

export const checkEngine = async (store: Store, address: string): Promise<Finding> => {
  const check = createCheck(store, 'A process listens at the address of the store.', storeProblems(store));
  const { hostname, port } = new URL(address.includes('://') ? address : `tcp://${address}`);
  const reason = await tryToConnect(hostname, Number(port));
  const subject = 'on this machine';
  if (reason === undefined) return check.ok({ subject, found: `a process listens at ${hostname}:${port}` });
  return check.problem('unreachable', { subject, found: `nothing listens at ${hostname}:${port}: ${reason}` });
};
