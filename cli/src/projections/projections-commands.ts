import type { Command } from 'commander';
import { formatTable } from '../output/format.ts';
import { printResult } from '../output/print.ts';
import { type Connect, dataOf } from '../service-client/ops-client.ts';
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

export const addProjectionsCommands = (program: Command, connect: Connect): void => {
  const group = program.command('projections').description('projections, which compute reports from the log');

  group
    .command('list')
    .description('projections with their state, position and lag')
    .action(async (_: object, command: Command) => {
      const { ops } = await connect();
      const value = await dataOf(ops.GET('/ops/v1/projections'));
      printResult(command, { value, text: formatTable(value, listFields, 'There are no projections.') });
    });

  group
    .command('pause')
    .description('stop a projection until it is resumed; its reports do not change meanwhile')
    .argument('<name>', 'name shown by projections list')
    .action(async (name: string, _: object, command: Command) => {
      const { ops } = await connect();
      const value = await dataOf(ops.POST('/ops/v1/projections/{name}/pause', { params: { path: { name } } }));
      printResult(command, { value, text: `${name} is paused.` });
    });

  group
    .command('resume')
    .description('resume a paused projection; one that stopped because it parked too many events may park events again')
    .argument('<name>', 'name shown by projections list')
    .action(async (name: string, _: object, command: Command) => {
      const { ops } = await connect();
      const value = await dataOf(ops.POST('/ops/v1/projections/{name}/resume', { params: { path: { name } } }));
      printResult(command, { value, text: `${name} is resumed.` });
    });

  addReplayCommands(group, connect);
};
