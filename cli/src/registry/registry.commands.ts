import type { Command } from 'commander';
import { stringify } from 'yaml';
import { print } from '../program/print.ts';
import type { Connect } from '../program/connect.ts';
import { applyFile, type ApplySwitches } from './apply-file.ts';
import { toldRegistry } from './told-registry.ts';

export const registryCommands = (program: Command, connect: Connect): void => {
  const group = program.command('registry').description('networks, sites, devices, campaigns and the rest');

  group
    .command('apply')
    .description('apply a registry file; what it does not name stays as it is, and the same file again changes nothing')
    .argument('<file>', 'YAML or JSON')
    .option('--dry-run', 'only tell what would change')
    .option('--restate', 'allow metric definitions that take effect before now; reports are computed again')
    .action(async (file: string, switches: ApplySwitches, command: Command) => {
      const { ops } = await connect();
      const applied = await applyFile(ops, file, switches);
      print(command, { value: applied, text: toldRegistry(applied) });
    });

  group
    .command('export')
    .description('print the whole registry as a file: YAML, or JSON with --json')
    .action(async (_: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<object>('/registry');
      print(command, { value, text: stringify(value) });
    });
};
