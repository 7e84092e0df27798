import type { DiagnosticsDependencies, ServiceEndpoint } from '@popsvc/ops-api/server';
import type { ProjectorsConfig } from './config.ts';

const neighbours = [
  ['query-api', 'QUERY_API_URL'],
  ['command-api', 'COMMAND_API_URL'],
  ['worker', 'WORKER_URL'],
] as const;

/** What the environment tells of the rest of the service and of this machine. */
export const surroundings = (config: ProjectorsConfig): Pick<DiagnosticsDependencies, 'folders' | 'services'> => ({
  folders: config.DATA_DIR === undefined ? [] : [config.DATA_DIR],
  services: neighbours.flatMap(([name, variable]): ServiceEndpoint[] => {
    const url = config[variable];
    return url === undefined ? [] : [{ name, url, variable }];
  }),
});
