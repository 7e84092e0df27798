/** An analyst's query, rebuilt from the checked parts of the request. */
export interface AnalystQuery {
  readonly user: string;
  readonly password: string;
  /** The URL parameters of the request, without credentials. */
  readonly params: URLSearchParams;
  readonly body: Buffer;
}

export interface Refusal {
  readonly status: 400 | 401 | 403 | 415;
  readonly message: string;
}

export interface ProxyRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/**
 * Text that a query must not contain: `file`, because the function of this name can read any file on the host, and backslashes,
 * because escape sequences in a quoted name could spell `file`.
 */
const forbiddenText = /file|\\/i;

const forbiddenTextMessage =
  'On the embedded engine a query may contain neither the word "file" nor a backslash, because the function of that name reads any file of the machine. See docs/guides/analysts.md.';

/**
 * Functions whose time grows with the product of the lengths of their arguments, or with the square of one length. ClickHouse checks
 * the time limit and cancellation only between blocks of rows, and one call of these functions with long texts or arrays takes from
 * seconds to hours. The names are parts of function names (docs/decisions/0018-analysts.md has the measurements).
 */
const costlyFunctions = [
  'editDistance',
  'levenshtein',
  'jaroSimilarity',
  'jaroWinklerSimilarity',
  'arraySimilarity',
  'seriesDecomposeSTL',
  'replaceRegexpAll',
  'regexp_replace',
  'extractAll',
  'countMatches',
  'splitByRegexp',
  'hasAll',
  'hasAny',
  'CaseInsensitive',
  'polygon',
  'kolmogorovSmirnov',
];
const costlyFunction = new RegExp(costlyFunctions.join('|'), 'i');

const refuse = (status: Refusal['status'], message: string): Refusal => ({ status, message });

interface Credentials {
  readonly user: string;
  readonly password: string;
}

const parseBasicAuthorization = (header: string): Credentials | undefined => {
  const text = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(header)?.[1];
  if (text === undefined) return undefined;
  const [, user, password] = /^([^:]*):([\s\S]*)$/.exec(Buffer.from(text, 'base64').toString('utf8')) ?? [];
  return user === undefined ? undefined : { user, password: password ?? '' };
};

/**
 * Reads the credentials from the Authorization header, from ClickHouse's own headers or from the URL. Returns undefined unless
 * exactly one of these places contains credentials. If several did, the engine might use different credentials from those that
 * the proxy has checked.
 */
const readCredentials = (headers: ProxyRequest['headers'], params: URLSearchParams): Credentials | undefined => {
  const header = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined);
  const authorization = header('authorization');
  const user = header('x-clickhouse-user');
  const userParams = params.getAll('user');
  const places = [authorization, user, userParams[0]].filter((value) => value !== undefined);
  if (places.length !== 1 || userParams.length > 1) return undefined;
  if (authorization !== undefined) return parseBasicAuthorization(authorization);
  if (user !== undefined) return { user, password: header('x-clickhouse-key') ?? '' };
  return { user: userParams[0] ?? '', password: params.get('password') ?? '' };
};

/** Checks an analyst's request; returns the query to forward, or the reason for the rejection. */
export const parseAnalystQuery = (
  { url, headers, body }: ProxyRequest,
  analysts: ReadonlySet<string>,
): AnalystQuery | Refusal => {
  const { searchParams: params } = new URL(url, 'http://proxy');
  const credentials = readCredentials(headers, params);
  if (!credentials || !analysts.has(credentials.user))
    return refuse(401, 'Send the name and password of an analyst in exactly one place of the request.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' || params.has('decompress')) return refuse(415, 'Send the query uncompressed.');
  if (/^multipart/i.test(String(headers['content-type'] ?? '')))
    return refuse(415, 'Send the query as text, not as multipart.');
  if (params.getAll('query').length > 1) return refuse(400, 'Send the parameter query only once.');
  for (const name of ['user', 'password']) params.delete(name);
  // The engine concatenates the `query` parameter and the body, so a forbidden word may be split between them.
  const text = (params.get('query') ?? '') + body.toString('latin1');
  if (forbiddenText.test(text)) return refuse(403, forbiddenTextMessage);
  const costly = costlyFunction.exec(text)?.[0];
  if (costly !== undefined)
    return refuse(
      403,
      `A query may not contain "${costly}": functions of this name can run beyond every time limit. See docs/guides/analysts.md.`,
    );
  return { ...credentials, params, body };
};
