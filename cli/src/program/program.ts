import { ConnectionError, ServiceError } from '@popsvc/client';
import { describeFailure, popsvcVersion } from '@popsvc/platform/runtime';
import { type Command, CommanderError } from 'commander';
import { addAccountsCommands } from '../commands/accounts.ts';
import { addAnalystsCommands } from '../commands/analysts.ts';
import { addApiKeysCommands } from '../commands/api-keys.ts';
import { addBackupCommands } from '../commands/backup.ts';
import { addClientsCommands } from '../commands/clients.ts';
import { addCompletenessCommand } from '../commands/completeness.ts';
import { addDevicesCommands } from '../commands/devices.ts';
import { addEventStoreCommands } from '../commands/event-store.ts';
import { addJobsCommands } from '../commands/jobs.ts';
import { addLogCommands } from '../commands/log.ts';
import { addOutagesCommands } from '../commands/outages.ts';
import { addRegistryCommands } from '../commands/registry.ts';
import { addSigningKeysCommands } from '../commands/signing-keys.ts';
import { addWebhooksCommands } from '../commands/webhooks.ts';
import { addDoctorCommand } from '../doctor/doctor-command.ts';
import { addEventsCommands } from '../events/events-commands.ts';
import { addImportCommands } from '../import/import-commands.ts';
import { addMappingsCommands } from '../mappings/mappings-commands.ts';
import { CliError, formatError } from '../output/cli-error.ts';
import { printNote } from '../output/print.ts';
import { addProjectionsCommands } from '../projections/projections-commands.ts';
import { createConnect } from '../service-client/ops-client.ts';
import { OpsCommand } from '../service-client/ops-command.ts';
import { commandExamples } from './examples.ts';

const helpFooter = `
The service is found by POPSVC_OPS_URL, POPSVC_INGEST_URL, POPSVC_QUERY_URL and POPSVC_OPERATOR_TOKEN,
or in DATA_DIR (default ./.data), where a service on this machine writes its addresses.
Exit codes: 0 success, 1 rejected or failed, 2 wrong usage.`;

const exampleLines = (name: string) => (commandExamples[name] ?? []).map((example) => `  popsvc ${example}`);

export const createProgram = (env: NodeJS.ProcessEnv): Command => {
  const connect = createConnect(env);
  const program = new OpsCommand(connect, 'popsvc')
    .description('Operates a proof-of-play and audience service.')
    .version(popsvcVersion, '--version', 'print the version')
    .option('--json', 'print JSON')
    .showHelpAfterError('(use --help for details)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', helpFooter)
    .exitOverride();
  // The help text lists the commands in the order of these calls.
  addRegistryCommands(program);
  addApiKeysCommands(program);
  addClientsCommands(program);
  addSigningKeysCommands(program);
  addAnalystsCommands(program);
  addAccountsCommands(program);
  addWebhooksCommands(program);
  addDevicesCommands(program);
  addCompletenessCommand(program);
  addEventsCommands(program, connect);
  addJobsCommands(program, connect);
  addMappingsCommands(program, connect);
  addOutagesCommands(program);
  addProjectionsCommands(program, connect);
  addImportCommands(program, connect);
  addLogCommands(program, env);
  addBackupCommands(program, env);
  addEventStoreCommands(program, env);
  addDoctorCommand(program, connect);
  for (const command of program.commands)
    command.addHelpText('after', ['', 'Examples:', ...exampleLines(command.name())].join('\n'));
  return program;
};

/** Resolves with the exit code. */
export const runProgram = async (program: Command, argv: readonly string[]): Promise<number> => {
  try {
    await program.parseAsync([...argv]);
    return 0;
  } catch (error) {
    // Commander has already printed the message. It also throws this error, with exit code 0, after `--help` and `--version`.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    printNote(`${program.name()}: ${describeError(error)}`);
    return 1;
  }
};

const describeError = (error: unknown): string => {
  if (error instanceof CliError || error instanceof ServiceError) return formatError(error);
  if (error instanceof ConnectionError) return `${error.message}. Is the service running?`;
  return describeFailure(error);
};
