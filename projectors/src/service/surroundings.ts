import type { DoctorParts, Neighbour } from '@popsvc/ops-api/server';
import type { ProjectorsConfig } from './config.ts';

const neighbours = [
  ['query-api', 'QUERY_API_URL'],
  ['command-api', 'COMMAND_API_URL'],
  ['worker', 'WORKER_URL'],
] as const;

/** What the environment tells of the rest of the service and of this machine. */
export const surroundings = (config: ProjectorsConfig): Pick<DoctorParts, 'folders' | 'neighbours'> => ({
  folders: config.DATA_DIR === undefined ? [] : [config.DATA_DIR],
  neighbours: neighbours.flatMap(([name, variable]): Neighbour[] => {
    const url = config[variable];
    return url === undefined ? [] : [{ name, url, variable }];
  }),
});
