import type { Command } from 'commander';
import type { Connect } from '../program/connect.ts';
import { networkId } from '../program/option-values.ts';
import { print } from '../program/print.ts';
import { toldRegistry } from '../registry/told-registry.ts';
import { importFiles, type ImportWish, type Imported } from './import-files.ts';
import type { ImportCounts } from './tally.ts';

const number = new Intl.NumberFormat('en-GB');

const toldCounts = (what: string, { rows, good, distinct, bad, bad_rows, accepted }: ImportCounts): string =>
  [
    `${what}: ${number.format(rows)} rows, ${number.format(good)} good (${number.format(distinct)} distinct), ` +
      `${number.format(bad)} bad, ${number.format(accepted)} accepted`,
    ...bad_rows.map(({ row, reason }) => `  row ${row}: ${reason}`),
  ].join('\n');

const told = ({ registry, plays, detections }: Imported): string =>
  [
    registry && toldRegistry(registry),
    plays && toldCounts('plays', plays),
    detections && toldCounts('detections', detections),
  ]
    .filter((part) => part !== undefined)
    .join('\n');

export const importCommands = (program: Command, connect: Connect): void => {
  const group = program.command('import').description('load files over the public interface');
  const run = async (wish: ImportWish, command: Command) => {
    const imported = await importFiles(
      { ...wish, apiKey: process.env['POPSVC_API_KEY'] || undefined },
      await connect(),
    );
    print(command, { value: imported, text: told(imported) });
  };
  const common = (command: Command): Command =>
    command
      .option('--network <id>', 'network the file belongs to; default: that of its screens or devices', networkId)
      .option('--vendor <code>', 'vendor it comes from; default: the only one of the network')
      .option('--registry <file>', 'registry file to apply first')
      .addHelpText('after', '\nA key is made for the import and revoked after it, unless POPSVC_API_KEY holds one.');

  common(
    group
      .command('playout')
      .description('plays from a digital playout file of the Outsmart Playout Reporting Standard (CSV, may be .gz)')
      .argument('<file>')
      .option('--detections <file>', 'detections to load besides (NDJSON, may be .gz)'),
  ).action((playout: string, options: ImportWish, command: Command) => run({ ...options, playout }, command));

  common(
    group
      .command('detections')
      .description('audience detections, one JSON object a line (may be .gz)')
      .argument('<file>'),
  ).action((detections: string, options: ImportWish, command: Command) => run({ ...options, detections }, command));
};
