import type { Command } from 'commander';
import { parseNetworkIds, parseWholeNumber } from '../option-values.ts';
import { formatTable } from '../output/format.ts';
import { type CommandResult, printResult } from '../output/print.ts';
import { type Connect, dataOf, type OpsRequest, type OpsSchema } from '../service-client/ops-client.ts';

const weekSeconds = 7 * 24 * 60 * 60;
const monthSeconds = 30 * 24 * 60 * 60;

const listFields = ['client_id', 'network_ids', 'name', 'created_at', 'revoked_at'];

const secretResult = (value: OpsSchema<'MadeClient'>, note = ''): CommandResult => ({
  value,
  text: `client_id      ${value.client_id}\nclient_secret  ${value.client_secret}\n\nKeep the secret: it is not shown again.${note}`,
});

const describeOverlap = (seconds: number): string =>
  seconds === 0
    ? ' The previous secret is no longer valid.'
    : ` The previous secret is valid until ${new Date(Date.now() + seconds * 1_000).toISOString()}.`;

export const addClientsCommands = (program: Command, connect: Connect): void => {
  const group = program.command('clients').description('clients of partners, which read reports with access tokens');

  group
    .command('create')
    .description('create a client; its secret is shown only now')
    .requiredOption(
      '--networks <ids>',
      'networks it may read, separated by commas; the first is its default',
      parseNetworkIds,
    )
    .option('--name <text>', 'a name to recognize it by')
    .action(async (body: OpsRequest<'/ops/v1/clients'>, command: Command) => {
      const { ops } = await connect();
      printResult(command, secretResult(await dataOf(ops.POST('/ops/v1/clients', { body }))));
    });

  group
    .command('list')
    .description('all clients, including revoked ones, without secrets')
    .action(async (_: object, command: Command) => {
      const { ops } = await connect();
      const value = await dataOf(ops.GET('/ops/v1/clients'));
      printResult(command, { value, text: formatTable(value, listFields, 'There are no clients.') });
    });

  group
    .command('rotate')
    .description('give a client a new secret; the previous secret stays valid for seven days or the given time')
    .argument('<id>', 'client_id')
    .option('--overlap <seconds>', 'validity of the previous secret; 0 ends it now', parseWholeNumber(0, monthSeconds))
    .action(async (id: string, { overlap = weekSeconds }: { overlap?: number }, command: Command) => {
      const { ops } = await connect();
      const params = { path: { id }, query: { overlap_seconds: overlap } };
      const rotated = await dataOf(ops.POST('/ops/v1/clients/{id}/rotate', { params }));
      printResult(command, secretResult(rotated, describeOverlap(overlap)));
    });

  group
    .command('revoke')
    .description('revoke a client permanently, and its access tokens within 5 s')
    .argument('<id>', 'client_id')
    .action(async (id: string, _: object, command: Command) => {
      const { ops } = await connect();
      const value = await dataOf(ops.DELETE('/ops/v1/clients/{id}', { params: { path: { id } } }));
      printResult(command, { value, text: `The client ${id} is revoked.` });
    });
};
