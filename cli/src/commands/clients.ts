import { parseNetworkIds, parseWholeNumber } from '../option-values.ts';
import { formatTable } from '../output/format.ts';
import type { CommandResult } from '../output/print.ts';
import { dataOf, type OpsRequest, type OpsSchema } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

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

export const addClientsCommands = (program: OpsCommand): void => {
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
    .request(async (ops, body: OpsRequest<'/ops/v1/clients'>) =>
      secretResult(await dataOf(ops.POST('/ops/v1/clients', { body }))),
    );

  group
    .command('list')
    .description('all clients, including revoked ones, without secrets')
    .request(async (ops) => {
      const value = await dataOf(ops.GET('/ops/v1/clients'));
      return { value, text: formatTable(value, listFields, 'There are no clients.') };
    });

  group
    .command('rotate')
    .description('give a client a new secret; the previous secret stays valid for seven days or the given time')
    .argument('<id>', 'client_id')
    .option('--overlap <seconds>', 'validity of the previous secret; 0 ends it now', parseWholeNumber(0, monthSeconds))
    .request(async (ops, id: string, { overlap = weekSeconds }: { overlap?: number }) => {
      const params = { path: { id }, query: { overlap_seconds: overlap } };
      const rotated = await dataOf(ops.POST('/ops/v1/clients/{id}/rotate', { params }));
      return secretResult(rotated, describeOverlap(overlap));
    });

  group
    .command('revoke')
    .description('revoke a client permanently, and its access tokens within 5 s')
    .argument('<id>', 'client_id')
    .request(async (ops, id: string) => {
      const value = await dataOf(ops.DELETE('/ops/v1/clients/{id}', { params: { path: { id } } }));
      return { value, text: `The client ${id} is revoked.` };
    });
};
