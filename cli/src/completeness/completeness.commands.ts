import type { Command } from 'commander';
import type { Connect } from '../program/connect.ts';
import { instant, networkId, wholeNumber } from '../program/option-values.ts';
import { print, remark } from '../program/print.ts';
import { withQuery } from '../service-client/with-query.ts';
import { mapText, type ToldCompleteness } from './map-text.ts';

export const completenessCommands = (program: Command, connect: Connect): void => {
  program
    .command('completeness')
    .description('what each screen of a network did in each hour, as a map of letters')
    .requiredOption('--network <id>', 'of this network', networkId)
    .option('--from <instant>', 'from the hour of it; default 48 hours before --to', instant)
    .option('--to <instant>', 'to the end of the hour of it; default the hour that runs', instant)
    .option('--site <id>', 'screens that stood in this site last', wholeNumber(1))
    .option('--limit <n>', 'so many screens at most', wholeNumber(1, 1_000), 200)
    .option('--after <screen>', 'the next ones, from where the map before ended')
    .action(async ({ site: site_id, ...options }: { site?: number }, command: Command) => {
      const { ops } = await connect();
      const value = await ops<ToldCompleteness>(withQuery('/completeness', { ...options, site_id }));
      print(command, { value, text: mapText(value) });
      if (value.next_after !== null) remark(`There are more screens: --after ${value.next_after}`);
    });
};
