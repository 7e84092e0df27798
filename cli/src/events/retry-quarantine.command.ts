import type { Command } from 'commander';
import type { Connect } from '../program/connect.ts';
import { print } from '../program/print.ts';

interface Options {
  readonly network?: number;
  readonly vendor?: string;
  readonly schemaVersion?: string;
}

/** `retry` of `events quarantine`; its options are those of the list. */
export const retryQuarantineCommand = (quarantine: Command, connect: Connect): void => {
  quarantine
    .command('retry')
    .description('has what waits tried again, such as by a newer build; needs --network, --vendor and --schema-version')
    .action(async (_: object, command: Command) => {
      const { network, vendor, schemaVersion } = command.optsWithGlobals<Options>();
      if (network === undefined || vendor === undefined || schemaVersion === undefined)
        command.error('error: --network, --vendor and --schema-version are needed');
      const { ops } = await connect();
      const body = { network, vendor, schema_version: schemaVersion };
      const value = await ops<{ readonly waiting: number }>('/quarantine/retry', { method: 'POST', body });
      print(command, { value, text: `${value.waiting} waiting events of ${vendor} ${schemaVersion} are tried again.` });
    });
};
