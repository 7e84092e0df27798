import type { Command } from 'commander';
import type { Connect } from '../program/connect.ts';
import { Failure } from '../program/failure.ts';
import { print } from '../program/print.ts';
import { followedReplay, type ToldReplay } from './followed-replay.ts';
import { runningReplay } from './running-replay.ts';

export const cancelReplayCommand = (group: Command, connect: Connect): void => {
  group
    .command('cancel')
    .description('ends the replay or rollback of a projection; readers stay where they are')
    .argument('<name>', 'of the projection')
    .action(async (name: string, _: object, command: Command) => {
      const { ops } = await connect();
      const running = await runningReplay(ops, name, 'cancel');
      const asked = await ops<ToldReplay>(`/replays/${running.id}`, { method: 'DELETE' });
      const ended = await followedReplay(ops, asked, () => undefined);
      if (ended.state !== 'cancelled')
        throw new Failure(`It was too late: the ${ended.kind} of ${name} is ${ended.state}.`);
      print(command, {
        value: { id: ended.id, name, state: ended.state },
        text: `The ${ended.kind} of ${name} is cancelled.`,
      });
    });
};
