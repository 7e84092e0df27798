import type { ProblemCode } from '@popsvc/contracts/diagnostics';

/** Why a store rejected or did not answer a request; the codes of a store's problems. */
export type FailureKind = Exclude<ProblemCode<'event-store' | 'clickhouse' | 'postgresql'>, `check-${string}`>;

type RecognizedKind = Exclude<FailureKind, 'error'>;

/** Error codes of the operating system, PostgreSQL, ClickHouse, gRPC, NATS and S3 by kind of failure. */
const codePatterns: Readonly<Record<RecognizedKind, RegExp>> = {
  credentials:
    /^(?:28\w{3}|42501|516|192|194|497|AUTHENTICATION_FAILED|ACCESS_DENIED|AUTHORIZATION_VIOLATION|AUTHENTICATION_EXPIRED|access-denied|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|Forbidden)$/,
  'disk-full': /^(?:53100|ENOSPC|243|NOT_ENOUGH_SPACE)$/,
  'database-missing': /^(?:3D000|81|60|UNKNOWN_DATABASE|UNKNOWN_TABLE|NoSuchBucket|503)$/,
  timeout: /^(?:ETIMEDOUT|DeadlineExceeded|TIMEOUT|TIMEOUT_EXCEEDED|159|deadline-exceeded|57014|55P03)$/,
  unreachable:
    /^(?:ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|UND_ERR_\w+|unavailable|CONNECTION_REFUSED|57P0\d|08\w{3}|DISCONNECT)$/,
};
const messagePatterns: Readonly<Partial<Record<RecognizedKind, RegExp>>> = {
  credentials: /UNAUTHENTICATED|PERMISSION_DENIED|password authentication failed/,
  timeout: /took longer than|timeout|timed out/i,
  unreachable:
    /terminated|connection (?:error|ended|closed)|socket hang up|failed to connect|no connection|unavailable/i,
};

/** In the order of precedence. */
const recognizedKinds = ['credentials', 'disk-full', 'database-missing', 'timeout', 'unreachable'] as const;

interface ErrorLike {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly name?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** An error and its causes, outermost first. */
const causeChain = (error: unknown, maxDepth = 8): readonly ErrorLike[] => {
  if (typeof error !== 'object' || error === null || maxDepth === 0) return [];
  const { cause, errors } = error as ErrorLike;
  const within = Array.isArray(errors) ? errors.flatMap((each) => causeChain(each, maxDepth - 1)) : [];
  return [error, ...within, ...causeChain(cause, maxDepth - 1)];
};

/** Classifies an error of a store's client. */
export const classifyFailure = (error: unknown): FailureKind => {
  const chain = causeChain(error);
  const codes = chain.flatMap(({ code, type, name }) => [code, type, name].map(String));
  const messages = chain.map(({ message }) => String(message));
  return (
    recognizedKinds.find((kind) => codes.some((code) => codePatterns[kind].test(code))) ??
    recognizedKinds.find((kind) => messages.some((message) => messagePatterns[kind]?.test(message))) ??
    'error'
  );
};

const textOf = ({ message, code }: ErrorLike): string => {
  const text = [message, code].find((each) => typeof each === 'string' && each.trim() !== '');
  return typeof text === 'string' ? text.trim() : '';
};

/** The innermost error message in one line, with credentials in URLs removed. */
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
