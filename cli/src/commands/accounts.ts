import { formatTable } from '../output/format.ts';
import type { CommandResult } from '../output/print.ts';
import { dataOf, type OpsRequest, type OpsSchema } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

type NewAccount = OpsRequest<'/ops/v1/accounts'>;

const listFields = ['name', 'role', 'created_at', 'changed_at'];
const roleAbout = 'viewer (reads), operator (also operates), or admin (also credentials and accounts)';

const passwordResult = (value: OpsSchema<'AccountWithPassword'>): CommandResult => ({
  value,
  text: `account   ${value.name}\nrole      ${value.role}\npassword  ${value.password}\n\nKeep the password: it is not shown again.`,
});

export const addAccountsCommands = (program: OpsCommand): void => {
  const group = program.command('accounts').description('accounts of operators, which sign in to the console');

  group
    .command('create')
    .description('create an account; its password is shown only now')
    .argument('<name>', 'lower case letters, digits and . _ @ + -')
    .requiredOption('--role <role>', roleAbout)
    .request(async (ops, name: string, { role }: Pick<NewAccount, 'role'>) =>
      passwordResult(await dataOf(ops.POST('/ops/v1/accounts', { body: { name, role } }))),
    );

  group
    .command('list')
    .description('all accounts, without passwords')
    .request(async (ops) => {
      const value = await dataOf(ops.GET('/ops/v1/accounts'));
      return { value, text: formatTable(value, listFields, 'There are no accounts.') };
    });

  group
    .command('set-role')
    .description('give an account another role; its sessions end within 2 s')
    .argument('<name>', 'the account')
    .argument('<role>', roleAbout)
    .request(async (ops, name: string, role: NewAccount['role']) => {
      const request = { params: { path: { name } }, body: { role } };
      const value = await dataOf(ops.PUT('/ops/v1/accounts/{name}/role', request));
      return { value, text: `The account ${name} has the role ${value.role}.` };
    });

  group
    .command('reset-password')
    .description('give an account a new password, shown only now; its sessions end within 2 s')
    .argument('<name>', 'the account')
    .request(async (ops, name: string) => {
      const params = { path: { name } };
      return passwordResult(await dataOf(ops.POST('/ops/v1/accounts/{name}/password', { params })));
    });

  group
    .command('delete')
    .description('delete an account; its sessions end within 2 s')
    .argument('<name>', 'the account')
    .request(async (ops, name: string) => {
      const value = await dataOf(ops.DELETE('/ops/v1/accounts/{name}', { params: { path: { name } } }));
      return { value, text: `The account ${name} is deleted.` };
    });
};
