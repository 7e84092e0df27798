import { withDeadline, DeadlineExceeded } from '@popsvc/platform/runtime';

/** `skipped`: an engine that the check needs does not answer, which another finding reports. */
export const outcomes = ['ok', 'warning', 'failed', 'skipped'] as const;
export type Outcome = (typeof outcomes)[number];

/** The result of a check, with advice for the operator. */
export interface Finding {
  /** The subject of the check, for example `postgresql` or `projection coffee`. */
  readonly check: string;
  readonly outcome: Outcome;
  readonly found: string;
  /** Null if nothing needs to be done. */
  readonly advice: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, outcome: 'ok', found, advice: null });
export const skipped = (check: string, found: string): Finding => ({ check, outcome: 'skipped', found, advice: null });
export const warning = (check: string, found: string, advice: string): Finding => ({
  check,
  outcome: 'warning',
  found,
  advice,
});
export const failed = (check: string, found: string, advice: string): Finding => ({
  check,
  outcome: 'failed',
  found,
  advice,
});

/** Why a store rejected or did not answer a request. */
export type FailureKind = 'credentials' | 'unreachable' | 'missing' | 'silent' | 'full' | 'other';

/** Error codes of the operating system, PostgreSQL, ClickHouse, gRPC, NATS and S3 by kind of failure. */
const codePatterns: Readonly<Record<Exclude<FailureKind, 'other'>, RegExp>> = {
  credentials:
    /^(?:28\w{3}|42501|516|192|194|497|AUTHENTICATION_FAILED|ACCESS_DENIED|AUTHORIZATION_VIOLATION|AUTHENTICATION_EXPIRED|access-denied|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|Forbidden)$/,
  full: /^(?:53100|ENOSPC|243|NOT_ENOUGH_SPACE)$/,
  missing: /^(?:3D000|81|60|UNKNOWN_DATABASE|UNKNOWN_TABLE|NoSuchBucket|503)$/,
  silent: /^(?:ETIMEDOUT|DeadlineExceeded|TIMEOUT|TIMEOUT_EXCEEDED|159|deadline-exceeded|57014|55P03)$/,
  unreachable:
    /^(?:ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|UND_ERR_\w+|unavailable|CONNECTION_REFUSED|57P0\d|08\w{3}|DISCONNECT)$/,
};
const messagePatterns: Readonly<Partial<Record<FailureKind, RegExp>>> = {
  credentials: /UNAUTHENTICATED|PERMISSION_DENIED|password authentication failed/,
  silent: /took longer than|timeout|timed out/i,
  unreachable:
    /terminated|connection (?:error|ended|closed)|socket hang up|failed to connect|no connection|unavailable/i,
};

interface Coded {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** An error and its causes, outermost first. */
const causeChain = (error: unknown, left = 8): readonly Coded[] => {
  if (typeof error !== 'object' || error === null || left === 0) return [];
  const { cause, errors } = error as Coded;
  const within = Array.isArray(errors) ? errors.flatMap((one) => causeChain(one, left - 1)) : [];
  return [error, ...within, ...causeChain(cause, left - 1)];
};

const failureKinds = ['credentials', 'full', 'missing', 'silent', 'unreachable'] as const;

/** Classifies an error of a store's client. */
export const classifyFailure = (error: unknown): FailureKind => {
  const chain = causeChain(error);
  const codes = chain.flatMap(({ code, type, name }) => [code, type, name].map(String));
  const texts = chain.map(({ message }) => String(message));
  return (
    failureKinds.find((kind) => codes.some((code) => codePatterns[kind].test(code))) ??
    failureKinds.find((kind) => texts.some((text) => messagePatterns[kind]?.test(text))) ??
    'other'
  );
};

const textOf = ({ message, code }: Coded): string => {
  const text = [message, code].find((one) => typeof one === 'string' && one.trim() !== '');
  return typeof text === 'string' ? text.trim() : '';
};

/** The innermost error message in one line, with credentials in URLs removed. */
export const describeFailure = (error: unknown): string => {
  const text =
    causeChain(error)
      .map(textOf)
      .findLast((one) => one !== '') ?? 'no error message';
  return text
    .split('\n')[0]!
    .replace(/\/\/[^/@\s]*@/g, '//…@')
    .slice(0, 300);
};

/** Stores that other checks depend on. */
export type Engine = 'event store' | 'clickhouse' | 'postgresql' | 'nats';

export interface DiagnosticCheck {
  readonly name: string;
  readonly needs: readonly Engine[];
  readonly run: () => Promise<readonly Finding[]>;
}

/** Timeout of each check. */
const checkTimeoutMs = 4_000;

/** Runs a check until it ends or times out. Never throws: an error becomes a finding. */
export const runCheck = async ({ name, run }: Pick<DiagnosticCheck, 'name' | 'run'>): Promise<readonly Finding[]> => {
  try {
    return await withDeadline(run(), checkTimeoutMs, name);
  } catch (error) {
    if (error instanceof DeadlineExceeded)
      return [
        failed(
          name,
          `no answer within ${checkTimeoutMs / 1_000} s`,
          'Run doctor again; if it persists, check the load of the component.',
        ),
      ];
    return [failed(name, `the check failed: ${describeFailure(error)}`, 'See the log of the projectors.')];
  }
};

/** Runs a check, or skips it if an engine it needs does not answer. */
export const runCheckUnlessDown = (check: DiagnosticCheck, away: ReadonlySet<Engine>): Promise<readonly Finding[]> => {
  const missing = check.needs.filter((engine) => away.has(engine));
  if (missing.length === 0) return runCheck(check);
  return Promise.resolve([skipped(check.name, `not checked: ${missing.join(' and ')} must answer first`)]);
};
