import { choosePorts } from '../supervisor/ports.ts';
import type { StartConfig } from './config.ts';

const servicePorts = ['QUERY_API_PORT', 'COMMAND_API_PORT', 'OPS_PORT', 'WORKER_PORT'] as const;
/** The key is the variable that makes the engine external. */
const enginePorts = {
  EVENTSTORE_URL: ['EMBEDDED_EVENTSTORE_PORT'],
  CLICKHOUSE_URL: ['EMBEDDED_CLICKHOUSE_PORT', 'EMBEDDED_ANALYSTS_PORT'],
  DATABASE_URL: ['EMBEDDED_POSTGRES_PORT'],
} as const;
type EnginePort = (typeof enginePorts)[keyof typeof enginePorts][number];

export type ServicePorts = Readonly<Record<(typeof servicePorts)[number], number>>;
export type EnginePorts = Readonly<Record<EnginePort, number>>;

/** If some ports are occupied, throws one error that names the environment variable of each. */
export const chooseAllPorts = (config: StartConfig): Promise<ServicePorts & EnginePorts> => {
  const ofServices = servicePorts.map((variable) => [variable, config[variable]] as const);
  const addresses = Object.keys(enginePorts) as (keyof typeof enginePorts)[];
  const ofEngines = addresses.flatMap((address) =>
    enginePorts[address].map((variable: EnginePort) => [variable, config[address] ? 0 : config[variable]] as const),
  );
  const requested = Object.fromEntries([...ofServices, ...ofEngines]) as ServicePorts & EnginePorts;
  return choosePorts<keyof typeof requested>(requested);
};
