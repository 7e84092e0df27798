import { Option } from 'commander';
import { parseNetworkId, parseWholeNumber } from '../option-values.ts';
import { formatTable } from '../output/format.ts';
import type { CommandResult } from '../output/print.ts';
import { dataOf, type OpsRequest, type OpsSchema } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

const [daySeconds, monthSeconds] = [86_400, 30 * 86_400];

const listFields = ['id', 'network_id', 'vendor', 'client_id', 'url', 'types', 'description', 'pending', 'dead'];
const deliveryFields = [
  'created_at',
  'id',
  'type',
  'state',
  'attempts',
  'last_status',
  'last_error',
  'next_attempt_at',
];

const parseTypes = (text: string): string[] => text.split(',').map((type) => type.trim());

const secretResult = (value: OpsSchema<'WebhookWithSecret'>, note = ''): CommandResult => ({
  value,
  text: `id      ${value.id}\nsecret  ${value.secret}\n\nKeep the secret: it is not shown again.${note}`,
});

const toRow = ({ attempts, payload, ...delivery }: OpsSchema<'WebhookDelivery'>) => {
  const last = attempts.at(-1);
  return {
    ...delivery,
    type: payload.type,
    attempts: attempts.length,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
  };
};

export const addWebhooksCommands = (program: OpsCommand): void => {
  const group = program.command('webhooks').description('URLs to which notices are posted');

  group
    .command('create')
    .description('create a subscription; its secret is shown only now')
    .requiredOption('--network <id>', 'network whose notices are sent', parseNetworkId)
    .option('--vendor <code>', 'only notices about this vendor')
    .requiredOption('--url <url>', 'where notices are posted')
    .requiredOption('--types <types>', 'types of notices, separated by commas', parseTypes)
    .option('--description <text>', 'a name to recognize it by')
    .request(async (ops, body: OpsRequest<'/ops/v1/webhooks'>) =>
      secretResult(await dataOf(ops.POST('/ops/v1/webhooks', { body }))),
    );

  group
    .command('list')
    .description('all subscriptions, without secrets, with the number of pending and dead deliveries')
    .option('--network <id>', 'only subscriptions of this network', parseNetworkId)
    .option('--vendor <code>', 'only subscriptions of this vendor')
    .request(async (ops, query: { network?: number; vendor?: string }) => {
      const value = await dataOf(ops.GET('/ops/v1/webhooks', { params: { query } }));
      return { value, text: formatTable(value.webhooks, listFields, 'There are no webhooks.') };
    });

  group
    .command('test')
    .description('post a notice of type test to a subscription; deliveries shows the response')
    .argument('<id>', 'id of the subscription')
    .request(async (ops, id: string) => {
      const value = await dataOf(ops.POST('/ops/v1/webhooks/{id}/test', { params: { path: { id } } }));
      return { value, text: `The test notice ${value.webhook_id} is posted within seconds.` };
    });

  group
    .command('rotate')
    .description('give a subscription a new secret; the previous one signs, too, for a day or the given time')
    .argument('<id>', 'id of the subscription')
    .option(
      '--overlap <seconds>',
      'how long the previous secret signs; 0 ends it now',
      parseWholeNumber(0, monthSeconds),
    )
    .request(async (ops, id: string, { overlap = daySeconds }: { overlap?: number }) => {
      const request = { params: { path: { id } }, body: { overlap_seconds: overlap } };
      const rotated = await dataOf(ops.POST('/ops/v1/webhooks/{id}/rotate', request));
      const until = new Date(Date.now() + overlap * 1_000).toISOString();
      const previous = overlap === 0 ? 'no longer signs' : `signs, too, until ${until}`;
      return secretResult(rotated, ` The previous secret ${previous}.`);
    });

  group
    .command('delete')
    .description('delete a subscription with its deliveries')
    .argument('<id>', 'id of the subscription')
    .request(async (ops, id: string) => {
      const value = await dataOf(ops.DELETE('/ops/v1/webhooks/{id}', { params: { path: { id } } }));
      return { value, text: `The webhook ${id} is deleted.` };
    });

  group
    .command('deliveries')
    .description('deliveries of a subscription with their last attempt, newest first')
    .argument('<id>', 'id of the subscription')
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(['pending', 'delivered', 'dead']))
    .option('--limit <n>', 'maximum number of deliveries', parseWholeNumber(1, 200), 50)
    .option('--before <cursor>', 'continue after the previous page')
    .request(
      async (ops, id: string, query: { state?: 'pending' | 'delivered' | 'dead'; limit: number; before?: string }) => {
        const params = { path: { id }, query };
        const value = await dataOf(ops.GET('/ops/v1/webhooks/{id}/deliveries', { params }));
        const text = formatTable(value.deliveries.map(toRow), deliveryFields, 'There are no such deliveries.');
        const older = value.next_before;
        return { value, text, note: older === null ? undefined : `There are older deliveries: --before ${older}` };
      },
    );

  group
    .command('redeliver')
    .description('post deliveries again: those named, or all dead letters of the subscription')
    .argument('<id>', 'id of the subscription')
    .argument('[deliveries...]', 'ids of deliveries; none: all dead letters')
    .request(async (ops, id: string, deliveries: string[]) => {
      const body = deliveries.length > 0 ? { deliveries } : {};
      const value = await dataOf(ops.POST('/ops/v1/webhooks/{id}/redeliver', { params: { path: { id } }, body }));
      return { value, text: `Deliveries that are posted again: ${value.queued}.` };
    });
};
