/** As the operations server tells it, once. */
export interface NewAnalyst {
  readonly user: string;
  readonly password: string;
  readonly network_ids: readonly number[] | null;
  readonly url: string;
  readonly database: string;
  readonly can_log_in: boolean;
  readonly why: string | null;
  readonly statements: readonly string[];
}

const example = ({ user, password, url, database }: NewAnalyst): string =>
  `curl -s -u '${user}:${password}' '${url}/?database=${database}' --data-binary 'SELECT count() FROM plays'`;

const notYet = (why: string | null): string =>
  [
    'ClickHouse does not know the login yet. The embedded one takes it in when the service is started the next time;',
    'on a server of your own, have somebody run what --print-sql shows, or these statements of --json.',
    ...(why === null ? [] : [`It said: ${why}`]),
  ].join('\n');

/** What an operator hands on, and what is left to do. */
export const loginText = (made: NewAnalyst, printSql: boolean): string =>
  [
    `user      ${made.user}`,
    `password  ${made.password}`,
    `address   ${made.url}`,
    `database  ${made.database}`,
    `networks  ${made.network_ids?.join(', ') ?? 'all'}`,
    '',
    'Keep the password: it is not shown again. To try it:',
    '',
    example(made),
    ...(printSql ? ['', ...made.statements.map((statement) => `${statement};`)] : []),
    ...(made.can_log_in || printSql ? [] : ['', notYet(made.why)]),
  ].join('\n');
