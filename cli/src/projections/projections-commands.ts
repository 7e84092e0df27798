import { describeShardCount } from '@popsvc/domain/partitioning';
import { parseWholeNumber } from '../option-values.ts';
import { CliError } from '../output/cli-error.ts';
import { formatTable } from '../output/format.ts';
import { type Connect, dataOf, type OpsSchema } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';
import { addReplayCommands } from './replay-commands.ts';

const listFields = [
  'name',
  'generation',
  'state',
  'position',
  'lag_events',
  'lag_seconds',
  'parked',
  'outdated',
  'error',
];

const formatFormerSet = ({ shards, projections, rows }: OpsSchema<'FormerSet'>): string =>
  [
    `Set of ${describeShardCount(shards)}: ${projections.join(', ')}`,
    formatTable(rows, ['table', 'rows'], 'PostgreSQL stores nothing for it.'),
  ].join('\n');

export const addProjectionsCommands = (program: OpsCommand, connect: Connect): void => {
  const group = program.command('projections').description('projections, which compute reports from the log');

  group
    .command('list')
    .description('projections with their state, position and lag')
    .request(async (ops) => {
      const value = await dataOf(ops.GET('/ops/v1/projections'));
      return { value, text: formatTable(value, listFields, 'There are no projections.') };
    });

  group
    .command('pause')
    .description('stop a projection until it is resumed; its reports do not change meanwhile')
    .argument('<name>', 'name shown by projections list')
    .request(async (ops, name: string) => {
      const value = await dataOf(ops.POST('/ops/v1/projections/{name}/pause', { params: { path: { name } } }));
      return { value, text: `${name} is paused.` };
    });

  group
    .command('resume')
    .description('resume a paused projection; one that stopped because it parked too many events may park events again')
    .argument('<name>', 'name shown by projections list')
    .request(async (ops, name: string) => {
      const value = await dataOf(ops.POST('/ops/v1/projections/{name}/resume', { params: { path: { name } } }));
      return { value, text: `${name} is resumed.` };
    });

  group
    .command('forget')
    .description('remove what PostgreSQL stores for the projections of a former number of shards')
    .argument('<shards>', 'number of shards of the former set; 1 for a single server or cluster', parseWholeNumber(1))
    .option('--confirm', 'remove it; without this option, only print what would be removed', false)
    .request(async (ops, shards: number, { confirm }: { confirm: boolean }) => {
      if (confirm) {
        const params = { path: { shards } };
        const value = await dataOf(ops.DELETE('/ops/v1/former-sets/{shards}', { params }));
        const outcome = value.rows.length > 0 ? 'These rows were removed from PostgreSQL.' : 'Nothing was removed.';
        return { value, text: `${formatFormerSet(value)}\n\n${outcome}` };
      }
      const sets = await dataOf(ops.GET('/ops/v1/former-sets'));
      const value = sets.find((set) => set.shards === shards);
      if (!value) throw new CliError(`There is no former set of ${describeShardCount(shards)}.`);
      const rest =
        value.used_by.length > 0
          ? `It cannot be removed: ${value.used_by.join(', ')} run${value.used_by.length === 1 ? 's' : ''} its projections.`
          : 'Nothing was removed. Repeat the command with --confirm to remove these rows.';
      return { value, text: `${formatFormerSet(value)}\n\n${rest}` };
    });

  addReplayCommands(group, connect);
};
