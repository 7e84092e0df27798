import { parseNetworkIdsOrAll } from '../option-values.ts';
import { formatTable } from '../output/format.ts';
import { dataOf, type OpsRequest, type OpsSchema } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

interface CreateOptions extends Pick<OpsRequest<'/ops/v1/analysts'>, 'name' | 'networks'> {
  readonly printSql?: boolean;
}

const listFields = ['name', 'network_ids', 'can_log_in', 'created_at', 'revoked_at'];

const exampleRequest = ({ user, password, url, database }: OpsSchema<'MadeAnalyst'>): string =>
  `curl -s -u '${user}:${password}' '${url}/?database=${database}' --data-binary 'SELECT count() FROM plays'`;

const explainMissingLogin = (why: string | null): string =>
  [
    'ClickHouse does not have this login yet. Run the statements that --print-sql or --json shows as a user who may create users.',
    ...(why === null ? [] : [`ClickHouse reported: ${why}`]),
  ].join('\n');

const formatNewAnalyst = (analyst: OpsSchema<'MadeAnalyst'>, printSql: boolean): string =>
  [
    `user      ${analyst.user}`,
    `password  ${analyst.password}`,
    `address   ${analyst.url}`,
    `database  ${analyst.database}`,
    `networks  ${analyst.network_ids?.join(', ') ?? 'all'}`,
    '',
    'Keep the password: it is not shown again. To try it:',
    '',
    exampleRequest(analyst),
    ...(printSql ? ['', ...analyst.statements.map((statement) => `${statement};`)] : []),
    ...(analyst.can_log_in || printSql ? [] : ['', explainMissingLogin(analyst.why)]),
  ].join('\n');

export const addAnalystsCommands = (program: OpsCommand): void => {
  const group = program.command('analysts').description('logins for SQL queries in ClickHouse, limited to networks');

  group
    .command('create')
    .description('create a login; the password is shown only now')
    .requiredOption('--name <login>', 'lower case letters, digits and underscores; a name cannot be used again')
    .requiredOption('--networks <ids>', 'visible networks, separated by commas, or all', parseNetworkIdsOrAll)
    .option('--print-sql', 'change nothing in ClickHouse; print the statements for a user who may create users')
    .request(async (ops, { printSql = false, ...requested }: CreateOptions) => {
      const body = { ...requested, run_sql: !printSql };
      const value = await dataOf(ops.POST('/ops/v1/analysts', { body }));
      return { value, text: formatNewAnalyst(value, printSql) };
    });

  group
    .command('list')
    .description('all analysts, including revoked ones, without passwords')
    .request(async (ops) => {
      const analysts = await dataOf(ops.GET('/ops/v1/analysts'));
      const rows = analysts.map((analyst) => ({ ...analyst, network_ids: analyst.network_ids ?? 'all' }));
      return { value: analysts, text: formatTable(rows, listFields, 'There are no analysts.') };
    });

  group
    .command('revoke')
    .description('revoke an analyst permanently; its queries end, and it sees no rows from then on')
    .argument('<name>', 'the login')
    .request(async (ops, name: string) => {
      const value = await dataOf(ops.DELETE('/ops/v1/analysts/{name}', { params: { path: { name } } }));
      return { value, text: `The analyst ${name} is revoked and sees no rows.` };
    });
};
