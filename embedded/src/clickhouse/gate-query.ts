/** What a request asks, put together anew from what was understood of it. */
export interface Asked {
  readonly user: string;
  readonly password: string;
  /** Everything but credentials. */
  readonly params: URLSearchParams;
  readonly body: Buffer;
}

export interface Refused {
  readonly status: 400 | 401 | 403 | 415;
  readonly message: string;
}

export interface GateRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** In no query, wherever it stands: names in quotes can be written with escapes, so those are not let in either. */
const forbidden = /file|\\/i;

const told =
  'On this embedded engine a query may hold neither the word "file" nor a backslash: a function of that name would read any file of the machine. See docs/guides/analysts.md.';

const refuse = (status: Refused['status'], message: string): Refused => ({ status, message });

interface Credentials {
  readonly user: string;
  readonly password: string;
}

const ofBasic = (header: string): Credentials | undefined => {
  const text = /^Basic ([A-Za-z0-9+/]+=*)$/.exec(header)?.[1];
  if (text === undefined) return undefined;
  const [, user, password] = /^([^:]*):([\s\S]*)$/.exec(Buffer.from(text, 'base64').toString('utf8')) ?? [];
  return user === undefined ? undefined : { user, password: password ?? '' };
};

/** From one place: whoever names two would have the engine choose. */
const credentialsOf = (headers: GateRequest['headers'], params: URLSearchParams): Credentials | undefined => {
  const one = (name: string) => (typeof headers[name] === 'string' ? headers[name] : undefined);
  const [basic, user, named] = [one('authorization'), one('x-clickhouse-user'), params.getAll('user')];
  if ([basic, user, named[0]].filter((given) => given !== undefined).length !== 1 || named.length > 1) return undefined;
  if (basic !== undefined) return ofBasic(basic);
  if (user !== undefined) return { user, password: one('x-clickhouse-key') ?? '' };
  return { user: named[0] ?? '', password: params.get('password') ?? '' };
};

/** What an analyst may be let ask, or why not. */
export const readAsked = ({ url, headers, body }: GateRequest, analysts: ReadonlySet<string>): Asked | Refused => {
  const { searchParams: params } = new URL(url, 'http://gate');
  const known = credentialsOf(headers, params);
  if (!known || !analysts.has(known.user)) return refuse(401, 'Name and password of an analyst are needed, once.');
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity' || params.has('decompress'))
    return refuse(415, 'A query is sent as it is, not compressed.');
  if (/^multipart/i.test(String(headers['content-type'] ?? '')))
    return refuse(415, 'A query is sent as text, not in parts.');
  if (params.getAll('query').length > 1) return refuse(400, 'query is given twice.');
  for (const name of ['user', 'password']) params.delete(name);
  // Together, so that no word can be cut in two.
  if (forbidden.test((params.get('query') ?? '') + body.toString('latin1'))) return refuse(403, told);
  return { ...known, params, body };
};
