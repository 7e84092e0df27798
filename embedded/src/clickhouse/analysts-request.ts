import { extractCode } from './query-code.ts';

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

/** The function `file` reads any file of the host, and no grant restricts it. */
const forbiddenName = /file/i;

/**
 * Table functions whose argument declares columns with expressions. A computed argument can call `file` although the query does not
 * contain this name: `generateRandom(concat('a String ALIAS fi', 'le(…)'))`. All other table functions with such an argument need a
 * right that analysts do not have.
 */
const columnDeclaringFunction =
  /(?<![\w$])[`"]?(generateRandom|values|null|input|merge|fuzzJSON|fuzzQuery|eval|executable)[`"]?\s*\(/i;

/**
 * Functions whose time grows with the product of the lengths of their arguments, or with the square of one length. ClickHouse checks
 * the time limit and cancellation only between blocks of rows, and one call of these functions with long texts or arrays takes from
 * seconds to hours (measurements: docs/decisions/measurements.md). Each item refuses all functions whose name contains it.
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

/**
 * EXPLAIN ESTIMATE shows exact numbers of rows of all networks. The table function `viewExplain` can run it, too: an argument selects
 * the kind of EXPLAIN, and this argument may be computed.
 */
const rowCountingExplain = /(?<![\w$])(?:explain\s+[`"]?estimate|[`"]?viewExplain[`"]?\s*\()/i;

/** The engine refuses every INSERT. This check names the right reason: `INSERT … VALUES (…)` looks like the table function `values`. */
const insertStatement = /^\s*insert\s/i;

const seeGuide = 'See docs/guides/analysts.md.';

/** Returns why the embedded engine must not run a query; undefined if it may. Literals and comments may contain any text. */
const findForbiddenCode = (query: string): string | undefined => {
  const extracted = extractCode(query);
  if ('problem' in extracted) return `The query cannot be checked, because it ${extracted.problem}. ${seeGuide}`;
  const { code } = extracted;
  if (forbiddenName.test(code))
    return `On the embedded engine, no name in a query may contain "file", because the function of that name reads any file of the machine. ${seeGuide}`;
  if (insertStatement.test(code)) return `Queries of analysts are read-only. ${seeGuide}`;
  const declaring = columnDeclaringFunction.exec(code)?.[1];
  if (declaring !== undefined)
    return `A query may not use the table function "${declaring}": the columns that it declares can read any file of the machine. ${seeGuide}`;
  if (rowCountingExplain.test(code))
    return `A query may not use EXPLAIN ESTIMATE or viewExplain: they show exact numbers of rows of all networks. Use EXPLAIN or EXPLAIN PIPELINE. ${seeGuide}`;
  const costly = costlyFunction.exec(code)?.[0];
  if (costly !== undefined)
    return `A query may not contain "${costly}": functions of this name can run beyond every time limit. ${seeGuide}`;
  return undefined;
};

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

/** Checks an analyst's request except for the password; returns the query to forward, or the reason for the rejection. */
export const parseAnalystQuery = ({ url, headers, body }: ProxyRequest): AnalystQuery | Refusal => {
  const { searchParams: params } = new URL(url, 'http://proxy');
  const credentials = readCredentials(headers, params);
  if (!credentials) return refuse(401, 'Send the name and password of an analyst in exactly one place of the request.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' || params.has('decompress')) return refuse(415, 'Send the query uncompressed.');
  if (/^multipart/i.test(String(headers['content-type'] ?? '')))
    return refuse(415, 'Send the query as text, not as multipart.');
  if (params.getAll('query').length > 1) return refuse(400, 'Send the parameter query only once.');
  for (const name of ['user', 'password']) params.delete(name);
  // The engine concatenates the parameter and the body. latin1 suffices, because all characters that the checks look for are ASCII.
  const [fromUrl, fromBody] = [params.get('query') ?? '', body.toString('latin1')];
  if (fromUrl.trim() !== '' && fromBody.trim() !== '')
    return refuse(400, 'Send the query either in the parameter query or in the body.');
  const problem = findForbiddenCode(fromUrl + fromBody);
  return problem === undefined ? { ...credentials, params, body } : refuse(403, problem);
};
