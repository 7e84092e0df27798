import type { Command } from 'commander';
import type { Connect } from '../program/connect.ts';
import { runningReplay } from './running-replay.ts';
import { watchedReplay } from './watched-replay.ts';

export const watchReplayCommand = (group: Command, connect: Connect): void => {
  group
    .command('watch')
    .description('shows how the replay or rollback of a projection goes, until it has ended; Ctrl-C leaves it going')
    .argument('<name>', 'of the projection')
    .action(async (name: string, _: object, command: Command) => {
      const { ops } = await connect();
      await watchedReplay(ops, await runningReplay(ops, name, 'watch'), command);
    });
};
