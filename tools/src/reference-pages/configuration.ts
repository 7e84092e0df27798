import { CommandApiConfig } from '@popsvc/command-api/service';
import { WorkerConfig } from '@popsvc/command-api/worker';
import { StartConfig } from '@popsvc/embedded/start';
import { Secret } from '@popsvc/platform/config';
import { ProjectorsConfig } from '@popsvc/projectors/service';
import { QueryApiConfig } from '@popsvc/query-api/service';
import { z } from 'zod';
import { code, page, table } from './markdown.ts';

interface Variable {
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
  /** The default as it would be written in the environment; undefined if the variable has no default. */
  readonly defaultValue: string | undefined;
  readonly secret: boolean;
}

interface ConfiguredProcess {
  readonly name: string;
  readonly source: string;
  readonly note?: string;
  readonly config: z.ZodObject;
}

export const configuredProcesses: readonly ConfiguredProcess[] = [
  {
    name: 'npm start',
    source: 'embedded/src/start/config.ts',
    note: '`npm start` passes the variables of the services below on to them.',
    config: StartConfig,
  },
  { name: 'command-api', source: 'command-api/src/service/config.ts', config: CommandApiConfig },
  { name: 'worker', source: 'command-api/src/worker/config.ts', config: WorkerConfig },
  { name: 'projectors', source: 'projectors/src/service/config.ts', config: ProjectorsConfig },
  { name: 'query-api', source: 'query-api/src/service/config.ts', config: QueryApiConfig },
];

/**
 * Sample values that identify secret variables: a variable is secret if its schema accepts one of these samples and parses it
 * into a `Secret`.
 */
const secretSamples = ['x'.repeat(64), 'postgres://host/database', 'esdb://host:2113'];

const formatDefault = (value: unknown): string | undefined =>
  value === undefined || typeof value === 'string' ? value : JSON.stringify(value);

export const describeVariables = ({ config }: Pick<ConfiguredProcess, 'config'>): readonly Variable[] =>
  Object.entries(config.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const unset = field.safeParse(undefined);
    const about = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }).description;
    return {
      name,
      about: about ?? '',
      required: !unset.success,
      defaultValue: unset.success ? formatDefault(unset.data) : undefined,
      secret: secretSamples.some((sample) => field.safeParse(sample).data instanceof Secret),
    };
  });

const describeDefault = ({ required, defaultValue, secret }: Variable): string => {
  const value = required ? 'required' : defaultValue === undefined ? 'unset' : code(defaultValue);
  return secret ? `${value}; secret` : value;
};

const describeProcess = (process: ConfiguredProcess): readonly string[] => [
  `## ${process.name}`,
  [`Read in ${code(process.source)}.`, process.note].filter(Boolean).join(' '),
  table(
    ['Variable', 'Default', 'Meaning'],
    describeVariables(process).map((variable) => [code(variable.name), describeDefault(variable), variable.about]),
  ),
];

export const configurationPage = (): string =>
  page('Configuration', 'the zod schema each process reads its environment with', [
    'Every process reads its variables once, when it starts. If a value is invalid, it exits with a message that names the variable. An empty variable counts as unset. Secrets are never printed or logged.',
    ...configuredProcesses.flatMap(describeProcess),
  ]);
