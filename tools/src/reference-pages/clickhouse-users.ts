import { type SettingBound, type ClickHouseRole, clickHouseRoles } from '@popsvc/embedded/clickhouse';

const userNames: Readonly<Record<ClickHouseRole, string>> = {
  writer: 'popsvc_writer',
  reader: 'popsvc_reader',
  analyst: 'analyst',
};

/** Environment variables of the ClickHouse container that hold the passwords. */
export const passwordVariables: Readonly<Record<ClickHouseRole, string>> = {
  writer: 'CLICKHOUSE_WRITER_PASSWORD',
  reader: 'CLICKHOUSE_READER_PASSWORD',
  analyst: 'CLICKHOUSE_ANALYST_PASSWORD',
};

type Entry = readonly [ClickHouseRole, (typeof clickHouseRoles)[ClickHouseRole]];
const entries = Object.entries(clickHouseRoles) as unknown as readonly Entry[];

const element = (name: string, content: string | number) => `<${name}>${content}</${name}>`;
const nested = (name: string, lines: readonly string[]) =>
  lines.length === 0 ? [`<${name}/>`] : [`<${name}>`, ...lines.map((line) => `  ${line}`), `</${name}>`];
const settings = (values: Readonly<Record<string, string | number>>) =>
  Object.entries(values).map(([name, value]) => element(name, value));

const constraint = ({ least, most, except, whenReadonly }: SettingBound) =>
  [
    least === undefined ? '' : element('min', least),
    most === undefined ? '' : element('max', most),
    except === undefined ? '' : element('disallowed', except),
    whenReadonly ? '<changeable_in_readonly/>' : '',
  ].join('');

const profile = ([role, { profile: defaults, bounds = {} }]: Entry) => {
  const constraints = Object.entries(bounds).map(([setting, bound]) => element(setting, constraint(bound)));
  return nested(role, [...settings(defaults), ...(constraints.length > 0 ? nested('constraints', constraints) : [])]);
};

const quota = ([role, { quota: limits }]: Entry) =>
  nested(role, limits ? nested('interval', settings({ duration: 3_600, ...limits })) : []);

const user = ([role, { grants }]: Entry) =>
  nested(userNames[role], [
    `<password from_env="${passwordVariables[role]}"/>`,
    '<networks><ip>::/0</ip></networks>',
    element('profile', role),
    element('quota', role),
    ...nested(
      'grants',
      grants.map((grant) => element('query', grant)),
    ),
  ]);

const note =
  'Generated from embedded/src/clickhouse/roles.ts by `npm run reference`; a test fails when this file is stale.';

/** Builds users.xml for ClickHouse in a container: the roles of the embedded server, with passwords from environment variables. */
export const clickHouseUsersXml = (): string =>
  [
    `<!-- ${note} -->`,
    ...nested('clickhouse', [
      ...nested('profiles', entries.flatMap(profile)),
      ...nested('quotas', entries.flatMap(quota)),
      ...nested('users', ['<default remove="remove"/>', ...entries.flatMap(user)]),
    ]),
    '',
  ].join('\n');
