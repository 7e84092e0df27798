import type { Command } from 'commander';
import type { Connect } from '../program/connect.ts';
import { print } from '../program/print.ts';

interface Paused {
  readonly name: string;
  readonly paused: boolean;
}

/** `pause` and `resume` of the group `projections`. */
export const pauseCommands = (group: Command, connect: Connect): void => {
  for (const [verb, about] of [
    ['pause', 'has a projection stand still until it is resumed; reports stay as they are'],
    ['resume', 'has a projection go on; one that set too much aside at once sets events aside again'],
  ] as const)
    group
      .command(verb)
      .description(about)
      .argument('<name>', 'as `projections list` tells it')
      .action(async (name: string, _: object, command: Command) => {
        const { ops } = await connect();
        const value = await ops<Paused>(`/projections/${encodeURIComponent(name)}/${verb}`, { method: 'POST' });
        print(command, { value, text: value.paused ? `${name} stands still.` : `${name} goes on.` });
      });
};
