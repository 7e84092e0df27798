import { extractCode } from './query-code.ts';

export interface AnalystQuery {
  readonly user: string;
  readonly password: string;
  /** Parameters of the URL except `user` and `password`. */
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
 * Table functions that parse a text as code, such as declarations of columns. A computed text can hide a call of `file`:
 * `generateRandom(concat('a String ALIAS fi', 'le(…)'))`.
 */
const columnDeclaringFunction =
  /(?<![\w$])[`"]?(generateRandom|values|null|input|merge|fuzzJSON|fuzzQuery|eval|executable)[`"]?\s*\(/i;

/**
 * ClickHouse checks time limits only between blocks, and one block of these functions can take minutes (docs/decisions/measurements.md).
 * Each item refuses every query whose code contains it, in upper or lower case.
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
 * EXPLAIN ESTIMATE shows exact numbers of rows of all networks. The table function `viewExplain` can run it, even with a computed
 * argument.
 */
const rowCountingExplain = /(?<![\w$])(?:explain\s+[`"]?estimate|[`"]?viewExplain[`"]?\s*\()/i;

/** Must precede the check of table functions: `INSERT … VALUES (…)` looks like the table function `values`. */
const insertStatement = /^\s*insert\s/i;

const seeGuide = 'See docs/guides/analysts.md.';

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

/** Returns undefined unless exactly one place of the request has credentials, and they are well-formed. */
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
  // The engine concatenates the parameter and the body. latin1 suffices, because the checks do not distinguish non-ASCII characters.
  const [fromUrl, fromBody] = [params.get('query') ?? '', body.toString('latin1')];
  if (fromUrl.trim() !== '' && fromBody.trim() !== '')
    return refuse(400, 'Send the query either in the parameter query or in the body.');
  const problem = findForbiddenCode(fromUrl + fromBody);
  return problem === undefined ? { ...credentials, params, body } : refuse(403, problem);
};
