/** Why a store did not do what it was asked. */
export type Trouble = 'credentials' | 'unreachable' | 'missing' | 'silent' | 'full' | 'other';

/** What the clients' errors say of themselves: codes of the system, of PostgreSQL, ClickHouse, gRPC, NATS. */
const words: Readonly<Record<Exclude<Trouble, 'other'>, RegExp>> = {
  credentials:
    /^(?:28\w{3}|42501|516|192|194|497|AUTHENTICATION_FAILED|ACCESS_DENIED|AUTHORIZATION_VIOLATION|AUTHENTICATION_EXPIRED|access-denied|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|Forbidden)$/,
  full: /^(?:53100|ENOSPC|243|NOT_ENOUGH_SPACE)$/,
  missing: /^(?:3D000|81|60|UNKNOWN_DATABASE|UNKNOWN_TABLE|NoSuchBucket|503)$/,
  silent: /^(?:ETIMEDOUT|DeadlineExceeded|TIMEOUT|TIMEOUT_EXCEEDED|159|deadline-exceeded|57014|55P03)$/,
  unreachable:
    /^(?:ECONN\w+|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EPIPE|UND_ERR_\w+|unavailable|CONNECTION_REFUSED|57P0\d|08\w{3}|DISCONNECT)$/,
};
const said: Readonly<Partial<Record<Trouble, RegExp>>> = {
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

/** An error and what it was caused by, the outermost first. */
const chainOf = (error: unknown, left = 8): readonly Coded[] => {
  if (typeof error !== 'object' || error === null || left === 0) return [];
  const { cause, errors } = error as Coded;
  const within = Array.isArray(errors) ? errors.flatMap((one) => chainOf(one, left - 1)) : [];
  return [error, ...within, ...chainOf(cause, left - 1)];
};

const kinds = ['credentials', 'full', 'missing', 'silent', 'unreachable'] as const;

/** Which trouble an error of a store's client tells of. */
export const troubleOf = (error: unknown): Trouble => {
  const chain = chainOf(error);
  const codes = chain.flatMap(({ code, type, name }) => [code, type, name].map(String));
  const texts = chain.map(({ message }) => String(message));
  return (
    kinds.find((kind) => codes.some((code) => words[kind].test(code))) ??
    kinds.find((kind) => texts.some((text) => said[kind]?.test(text))) ??
    'other'
  );
};

const textOf = ({ message, code }: Coded): string => {
  const text = [message, code].find((one) => typeof one === 'string' && one.trim() !== '');
  return typeof text === 'string' ? text.trim() : '';
};

/** The innermost reason in a line, without what may be a password. */
export const reasonOf = (error: unknown): string => {
  const text =
    chainOf(error)
      .map(textOf)
      .findLast((one) => one !== '') ?? 'no reason was told';
  return text
    .split('\n')[0]!
    .replace(/\/\/[^/@\s]*@/g, '//…@')
    .slice(0, 300);
};
