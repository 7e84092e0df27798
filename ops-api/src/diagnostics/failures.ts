import type { Check, Finding, storeProblems } from '@popsvc/contracts/diagnostics';

type FailureKind = keyof ReturnType<typeof storeProblems>;

export const failureTexts: Readonly<Record<FailureKind, string>> = {
  unreachable: 'cannot be reached',
  credentials: 'answers and refuses the login',
  'database-missing': 'answers, but the database of the service is missing',
  timeout: 'does not answer in time',
  'disk-full': 'has no free disk space',
  error: 'rejects the request',
};

type RecognizedKind = Exclude<FailureKind, 'error'>;

const errorCodes: Readonly<Record<RecognizedKind, readonly (string | RegExp)[]>> = {
  credentials: [
    // PostgreSQL: the class invalid_authorization_specification, and insufficient_privilege.
    /^28\w{3}$/,
    '42501',
    // ClickHouse: the numbers mean AUTHENTICATION_FAILED, UNKNOWN_USER, REQUIRED_PASSWORD and ACCESS_DENIED.
    '516',
    '192',
    '194',
    '497',
    'AUTHENTICATION_FAILED',
    'ACCESS_DENIED',
    // NATS.
    'AUTHORIZATION_VIOLATION',
    'AUTHENTICATION_EXPIRED',
    // The event store (gRPC) and S3.
    'access-denied',
    'AccessDenied',
    'InvalidAccessKeyId',
    'SignatureDoesNotMatch',
    'Forbidden',
  ],
  // 53100 is disk_full in PostgreSQL; 243 is NOT_ENOUGH_SPACE in ClickHouse.
  'disk-full': ['53100', 'ENOSPC', '243', 'NOT_ENOUGH_SPACE'],
  // 3D000 is invalid_catalog_name in PostgreSQL; 81 and 60 are UNKNOWN_DATABASE and UNKNOWN_TABLE in ClickHouse. NATS responds with
  // 503 if JetStream is not enabled.
  'database-missing': ['3D000', '81', '60', 'UNKNOWN_DATABASE', 'UNKNOWN_TABLE', 'NoSuchBucket', '503'],
  timeout: [
    'ETIMEDOUT',
    'DeadlineExceeded',
    'deadline-exceeded',
    'TIMEOUT',
    // 159 is TIMEOUT_EXCEEDED in ClickHouse; 57014 and 55P03 are query_canceled and lock_not_available in PostgreSQL.
    'TIMEOUT_EXCEEDED',
    '159',
    '57014',
    '55P03',
  ],
  unreachable: [
    /^ECONN\w+$/,
    'ENOTFOUND',
    'EAI_AGAIN',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'EPIPE',
    /^UND_ERR_\w+$/,
    'unavailable',
    'CONNECTION_REFUSED',
    'DISCONNECT',
    // PostgreSQL: 57P01 to 57P05 end or refuse connections, such as a shutdown; class 08 is connection_exception.
    /^57P0\d$/,
    /^08\w{3}$/,
  ],
};
const hasCode = (kind: RecognizedKind, code: string): boolean =>
  errorCodes[kind].some((known) => (typeof known === 'string' ? known === code : known.test(code)));
const messagePatterns: Readonly<Partial<Record<RecognizedKind, RegExp>>> = {
  credentials: /UNAUTHENTICATED|PERMISSION_DENIED|password authentication failed/,
  timeout: /took longer than|timeout|timed out/i,
  unreachable:
    /terminated|connection (?:error|ended|closed)|socket hang up|failed to connect|no connection|unavailable/i,
};

/** In order of precedence. Messages are compared only if no code of the error matches. */
const recognizedKinds = ['credentials', 'disk-full', 'database-missing', 'timeout', 'unreachable'] as const;

interface ErrorLike {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** Outermost first. */
const causeChain = (error: unknown, maxDepth = 8): readonly ErrorLike[] => {
  if (typeof error !== 'object' || error === null || maxDepth === 0) return [];
  const { cause, errors } = error as ErrorLike;
  const within = Array.isArray(errors) ? errors.flatMap((each) => causeChain(each, maxDepth - 1)) : [];
  return [error, ...within, ...causeChain(cause, maxDepth - 1)];
};

export const classifyFailure = (error: unknown): FailureKind => {
  const chain = causeChain(error);
  const codes = chain.flatMap(({ code, type, name }) => [code, type, name].map(String));
  const messages = chain.map(({ message }) => String(message));
  return (
    recognizedKinds.find((kind) => codes.some((code) => hasCode(kind, code))) ??
    recognizedKinds.find((kind) => messages.some((message) => messagePatterns[kind]?.test(message))) ??
    'error'
  );
};

const textOf = ({ message, code }: ErrorLike): string => {
  const text = [message, code].find((each) => typeof each === 'string' && each.trim() !== '');
  return typeof text === 'string' ? text.trim() : '';
};

/** Returns the first line of the innermost message. Removes credentials from URLs. */
export const describeFailure = (error: unknown): string => {
  const text =
    causeChain(error)
      .map(textOf)
      .findLast((each) => each !== '') ?? 'no error message';
  return text
    .split('\n')[0]!
    .replace(/\/\/[^/@\s]*@/g, '//…@')
    .slice(0, 300);
};

export const reportFailure = (check: Check<FailureKind>, error: unknown): Finding => {
  const kind = classifyFailure(error);
  return check.problem(kind, { found: `${failureTexts[kind]}: ${describeFailure(error)}` });
};
