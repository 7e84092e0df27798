import type { Command } from 'commander';
import { columns } from '../program/columns.ts';
import type { Connect } from '../program/connect.ts';
import { analystNetworks } from '../program/option-values.ts';
import { print, type Told } from '../program/print.ts';
import { loginText, type NewAnalyst } from './login-text.ts';

interface CreateOptions {
  readonly name: string;
  readonly networks: readonly number[] | 'all';
  readonly printSql?: boolean;
}

const fields = ['name', 'network_ids', 'can_log_in', 'created_at', 'revoked_at'];

const toldList = (value: readonly object[]): Told => {
  const rows = value.map((row) => ({ ...row, network_ids: (row as NewAnalyst).network_ids ?? 'all' }));
  return { value, text: columns(rows, fields, 'There are no analysts.') };
};

export const analystsCommands = (program: Command, connect: Connect): void => {
  const group = program.command('analysts').description('people who ask ClickHouse in SQL, each of some networks');

  group
    .command('create')
    .description('make a login; its password is shown now and never again')
    .requiredOption('--name <login>', 'lower case letters, digits and underscores; given out once and never again')
    .requiredOption('--networks <ids>', 'networks whose rows are seen, with commas; or all', analystNetworks)
    .option('--print-sql', 'run nothing in ClickHouse: show the statements, for somebody with the right to make users')
    .action(async ({ printSql = false, ...wanted }: CreateOptions, command: Command) => {
      const { ops } = await connect();
      const body = { ...wanted, run_sql: !printSql };
      const made = await ops<NewAnalyst>('/analysts', { method: 'POST', body });
      print(command, { value: made, text: loginText(made, printSql) });
    });

  group
    .command('list')
    .description('all analysts there ever were, without their passwords')
    .action(async (_: object, command: Command) => {
      const { ops } = await connect();
      print(command, toldList(await ops<object[]>('/analysts')));
    });

  group
    .command('revoke')
    .description('end an analyst for good: from now on no row is seen')
    .argument('<name>', 'the login')
    .action(async (name: string, _: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops(`/analysts/${encodeURIComponent(name)}`, { method: 'DELETE' });
      print(command, { value, text: `The analyst ${name} is revoked and sees nothing any more.` });
    });
};
