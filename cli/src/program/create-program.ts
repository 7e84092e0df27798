import { Command } from 'commander';
import { analystsCommands } from '../analysts/analysts.commands.ts';
import { apiKeysCommands } from '../credentials/api-keys.commands.ts';
import { clientsCommands } from '../credentials/clients.commands.ts';
import { signingKeysCommands } from '../credentials/signing-keys.commands.ts';
import { doctorCommands } from '../doctor/doctor.commands.ts';
import { completenessCommands } from '../completeness/completeness.commands.ts';
import { devicesCommands } from '../devices/devices.commands.ts';
import { eventsCommands } from '../events/events.commands.ts';
import { importCommands } from '../import/import.commands.ts';
import { jobsCommands } from '../jobs/jobs.commands.ts';
import { mappingsCommands } from '../mappings/mappings.commands.ts';
import { outagesCommands } from '../outages/outages.commands.ts';
import { projectionsCommands } from '../projections/projections.commands.ts';
import { registryCommands } from '../registry/registry.commands.ts';
import { connectBy } from './connect.ts';

const addresses = `
The service is found by POPSVC_OPS_URL, POPSVC_INGEST_URL and POPSVC_QUERY_URL with POPSVC_OPERATOR_TOKEN,
else in DATA_DIR (default ./.data), where a service on this machine writes them.
Exit codes: 0 done, 1 refused or failed, 2 wrong usage.`;

/** The whole command line; one line a group. */
export const createProgram = (env: NodeJS.ProcessEnv): Command => {
  const connect = connectBy(env);
  const program = new Command('popsvc')
    .description('Runs a proof-of-play and audience service.')
    .option('--json', 'answer as JSON')
    .showHelpAfterError('(--help tells more)')
    .configureHelp({ showGlobalOptions: true })
    .addHelpText('after', addresses)
    .exitOverride();
  registryCommands(program, connect);
  apiKeysCommands(program, connect);
  clientsCommands(program, connect);
  signingKeysCommands(program, connect);
  analystsCommands(program, connect);
  devicesCommands(program, connect);
  completenessCommands(program, connect);
  eventsCommands(program, connect);
  jobsCommands(program, connect);
  mappingsCommands(program, connect);
  outagesCommands(program, connect);
  projectionsCommands(program, connect);
  importCommands(program, connect);
  doctorCommands(program, connect);
  return program;
};
