/** The message quotes only the names of options, because the connection string may contain a password. */
export class InvalidConnectionString extends Error {
  override readonly name = 'InvalidConnectionString';
}

export interface EventStoreHost {
  readonly host: string;
  readonly port: number;
}

export interface EventStoreLogin {
  readonly username: string;
  readonly password: string;
}

type OptionName = keyof typeof optionChecks;

export interface EventStoreConnection {
  readonly hosts: readonly EventStoreHost[];
  /** `esdb+discover://`: the single host is a DNS name, and each of its addresses is a seed of the cluster. */
  readonly discoversByDns: boolean;
  readonly login?: EventStoreLogin | undefined;
  readonly options: Readonly<Partial<Record<OptionName, string>>>;
}

const fail = (message: string): never => {
  throw new InvalidConnectionString(message);
};

const decode = (text: string, what: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail(`${what} is not percent-encoded: write "%" as "%25"`);
  }
};

/** The client does not distinguish option names that differ only in case, `_` and `-`. */
const flatten = (name: string): string => name.toLowerCase().replace(/[_-]/g, '');

type OptionCheck = (value: string, name: string) => string;

const anyText: OptionCheck = (value) => value;
const boolean: OptionCheck = (value, name) =>
  value === 'true' || value === 'false' ? value : fail(`${name} must be true or false`);
const integer: OptionCheck = (value, name) =>
  /^-?\d{1,12}$/.test(value) ? value : fail(`${name} must be a whole number`);
const oneOf =
  (...values: readonly string[]): OptionCheck =>
  (value, name) =>
    values.find((known) => flatten(known) === flatten(value)) ?? fail(`${name} must be one of ${values.join(', ')}`);

/** Other options are rejected: for an unknown one, @eventstore/db-client 6.2.1 prints the connection string with its password. */
const optionChecks = {
  tls: boolean,
  tlsCAFile: anyText,
  tlsVerifyCert: (value, name) =>
    boolean(value, name) === 'true' ? value : fail(`${name}=false is not supported: name the CA with tlsCaFile`),
  userCertFile: anyText,
  userKeyFile: anyText,
  nodePreference: oneOf('leader', 'follower', 'random', 'read_only_replica'),
  maxDiscoverAttempts: integer,
  discoveryInterval: integer,
  gossipTimeout: integer,
  keepAliveInterval: integer,
  keepAliveTimeout: integer,
  defaultDeadline: integer,
  connectionName: anyText,
  throwOnAppendFailure: (value, name) =>
    boolean(value, name) === 'true' ? value : fail(`${name}=false is not supported`),
} satisfies Record<string, OptionCheck>;

const optionNames = Object.keys(optionChecks) as OptionName[];

/** `kurrentdb` is a newer name of the same protocol, which the client does not accept. */
const scheme = /^(?:esdb|kurrentdb)(?<discover>\+discover)?:\/\//;
const hostName = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_.])?$/i;
const defaultPort = 2113;

const parseHost = (text: string, index: number): EventStoreHost => {
  const what = `host ${index + 1}`;
  const [host = '', port = String(defaultPort), ...rest] = text.split(':');
  if (text.trim() === '') return fail(`${what} is empty`);
  if (rest.length > 0) return fail(`${what} must be name:port; IPv6 addresses are not supported`);
  if (!hostName.test(host)) return fail(`${what} is not a host name`);
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535)
    return fail(`the port of ${what} must be a number from 1 to 65535`);
  return { host, port: Number(port) };
};

const parseLogin = (text: string): EventStoreLogin => {
  const [username = '', password = '', ...rest] = text.split(':');
  if (username === '' || password === '') return fail('the login must be user:password');
  if (rest.length > 0) return fail('the login has more than one ":": percent-encode it in the password as %3A');
  return { username: decode(username, 'the user name'), password: decode(password, 'the password') };
};

const parseOption = (text: string): readonly [OptionName, string] => {
  const at = text.indexOf('=');
  const [given, value] = at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
  const name = optionNames.find((known) => flatten(known) === flatten(given));
  if (!name) return fail(`the option ${JSON.stringify(given.slice(0, 40))} is unknown`);
  if (value === '') return fail(`the option ${name} has no value`);
  return [name, optionChecks[name](decode(value, `the option ${name}`), given)];
};

const parseOptions = (query: string): EventStoreConnection['options'] => {
  const options: Partial<Record<OptionName, string>> = {};
  for (const text of query.split('&').filter((part) => part !== '')) {
    const [name, value] = parseOption(text);
    if (options[name] !== undefined) fail(`the option ${name} is repeated`);
    options[name] = value;
  }
  if ((options.userCertFile === undefined) !== (options.userKeyFile === undefined))
    fail('userCertFile and userKeyFile must be given together');
  return options;
};

/** Accepts `esdb://a:2113,b:2113` and `esdb+discover://cluster:2113`, with login and options. Throws InvalidConnectionString. */
export const parseConnectionString = (text: string): EventStoreConnection => {
  const trimmed = text.trim();
  const match = scheme.exec(trimmed);
  if (!match) return fail('must begin with esdb:// or esdb+discover://');
  const rest = trimmed.slice(match[0].length);
  const queryAt = rest.indexOf('?');
  const [authority, query] = queryAt < 0 ? [rest, ''] : [rest.slice(0, queryAt), rest.slice(queryAt + 1)];
  const loginEnd = authority.lastIndexOf('@');
  const login = authority.slice(0, Math.max(loginEnd, 0));
  if (login.includes('@') || login.includes('/'))
    return fail('the login contains "@" or "/": percent-encode them as %40 and %2F');
  const hosts = authority
    .slice(loginEnd + 1)
    .replace(/\/+$/, '')
    .split(',')
    .map(parseHost);
  const discoversByDns = match.groups?.['discover'] !== undefined;
  if (discoversByDns && hosts.length > 1)
    return fail('esdb+discover:// takes one DNS name; list the nodes of a cluster with esdb://a:2113,b:2113,c:2113');
  return {
    hosts,
    discoversByDns,
    ...(loginEnd >= 0 && { login: parseLogin(login) }),
    options: parseOptions(query),
  };
};

export const formatConnectionString = ({ hosts, discoversByDns, login, options }: EventStoreConnection): string => {
  const credentials = login ? `${encodeURIComponent(login.username)}:${encodeURIComponent(login.password)}@` : '';
  const query = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return [
    `esdb${discoversByDns ? '+discover' : ''}://${credentials}`,
    describeHosts({ hosts }),
    query.length === 0 ? '' : `?${query.join('&')}`,
  ].join('');
};

export const describeHosts = ({ hosts }: Pick<EventStoreConnection, 'hosts'>): string =>
  hosts.map(({ host, port }) => `${host}:${port}`).join(',');

export const usesTls = ({ options }: Pick<EventStoreConnection, 'options'>): boolean => options.tls !== 'false';

export const filesOf = ({ options }: Pick<EventStoreConnection, 'options'>): readonly string[] =>
  [options.tlsCAFile, options.userCertFile, options.userKeyFile].filter((path) => path !== undefined);
