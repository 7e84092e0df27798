import type { Command } from 'commander';
import type { Connect } from '../program/connect.ts';
import { wholeNumber } from '../program/option-values.ts';
import { print } from '../program/print.ts';
import type { Ops } from '../service-client/ops-client.ts';
import type { ToldReplay } from './followed-replay.ts';
import { progressText } from './replay-text.ts';
import { answerOf, watchedReplay } from './watched-replay.ts';

interface NotNeeded {
  readonly needed: false;
  readonly name: string;
  readonly generation: number;
  readonly version: number;
}

const begun = async (ops: Ops, started: ToldReplay, command: Command): Promise<void> => {
  if (command.opts<{ wait: boolean }>().wait) {
    await watchedReplay(ops, started, command);
    return;
  }
  const { id, state } = started;
  print(command, { value: { id, state, ...answerOf(started) }, text: `${progressText(started)} (replay ${id})` });
};

const pathOf = (name: string) => `/projections/${encodeURIComponent(name)}`;

/** `popsvc projections replay` and `rollback`. */
export const replayCommands = (group: Command, connect: Connect): void => {
  group
    .command('replay')
    .description('builds a projection anew from the log, while readers go on with what there is')
    .argument('<name>', 'of the projection')
    .option(
      '--from-version <n>',
      'only if what is live was built by this version of it or an older one',
      wholeNumber(0),
    )
    .option('--verify', 'compare with what is live before readers see it; where it differs, they never do', false)
    .option('--wait', 'until readers see it (default)', true)
    .option('--no-wait', 'only ask for it')
    .action(async (name: string, options: { fromVersion?: number; verify: boolean }, command: Command) => {
      const { ops } = await connect();
      const body = { verify: options.verify, from_version: options.fromVersion };
      const started = await ops<ToldReplay | NotNeeded>(`${pathOf(name)}/replay`, { method: 'POST', body });
      if (!('needed' in started)) {
        await begun(ops, started, command);
        return;
      }
      const { generation, version } = started;
      const value = {
        name,
        from_generation: generation,
        to_generation: generation,
        events: 0,
        seconds: 0,
        verified: false,
      };
      print(command, { value, text: `${name} needs no replay: version ${version} of it built what is live.` });
    });

  group
    .command('rollback')
    .description('has readers go back to what was live before the last replay')
    .argument('<name>', 'of the projection')
    .option('--wait', 'until they are there (default)', true)
    .option('--no-wait', 'only ask for it')
    .action(async (name: string, _: object, command: Command) => {
      const { ops } = await connect();
      await begun(ops, await ops<ToldReplay>(`${pathOf(name)}/rollback`, { method: 'POST' }), command);
    });
};
