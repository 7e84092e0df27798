import type { Command } from 'commander';
import { columns } from '../program/columns.ts';
import type { Connect } from '../program/connect.ts';
import { print } from '../program/print.ts';
import { pauseCommands } from './pause.commands.ts';
import { cancelReplayCommand } from './cancel-replay.command.ts';
import { replayCommands } from './replay.commands.ts';
import { watchReplayCommand } from './watch-replay.command.ts';

const fields = ['name', 'generation', 'state', 'position', 'lag_events', 'lag_seconds', 'parked', 'outdated', 'error'];

export const projectionsCommands = (program: Command, connect: Connect): void => {
  const group = program.command('projections').description('what is computed from the log');

  group
    .command('list')
    .description('how far each projection is')
    .action(async (_: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<object[]>('/projections');
      print(command, { value, text: columns(value, fields, 'There are no projections.') });
    });

  pauseCommands(group, connect);
  replayCommands(group, connect);
  watchReplayCommand(group, connect);
  cancelReplayCommand(group, connect);
};
