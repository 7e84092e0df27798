import { CommandApiConfig } from '@popsvc/command-api/service';
import { WorkerConfig } from '@popsvc/command-api/worker';
import { StartConfig } from '@popsvc/embedded/start';
import { Secret } from '@popsvc/platform/config';
import { ProjectorsConfig } from '@popsvc/projectors/service';
import { QueryApiConfig } from '@popsvc/query-api/service';
import { z } from 'zod';

export interface Variable {
  readonly name: string;
  readonly about: string;
  readonly required: boolean;
  /** As it is written; undefined where there is none. */
  readonly standard: string | undefined;
  readonly secret: boolean;
}

export interface Reader {
  readonly name: string;
  readonly source: string;
  readonly config: z.ZodObject;
}

/** Everybody who reads an environment. */
export const readers: readonly Reader[] = [
  { name: 'npm start', source: 'embedded/src/start/config.ts', config: StartConfig },
  { name: 'command-api', source: 'command-api/src/service/config.ts', config: CommandApiConfig },
  { name: 'worker', source: 'command-api/src/worker/config.ts', config: WorkerConfig },
  { name: 'projectors', source: 'projectors/src/service/config.ts', config: ProjectorsConfig },
  { name: 'query-api', source: 'query-api/src/service/config.ts', config: QueryApiConfig },
];

/** One of these is a usable value of any secret there is; what reads it then tells whether it is one. */
const probes = ['x'.repeat(64), 'postgres://host/database', 'esdb://host:2113'];

const written = (value: unknown): string | undefined =>
  value === undefined || typeof value === 'string' ? value : JSON.stringify(value);

export const variablesOf = ({ config }: Pick<Reader, 'config'>): readonly Variable[] =>
  Object.entries(config.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const unset = field.safeParse(undefined);
    const told = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }).description;
    return {
      name,
      about: told ?? '',
      required: !unset.success,
      standard: unset.success ? written(unset.data) : undefined,
      secret: probes.some((probe) => field.safeParse(probe).data instanceof Secret),
    };
  });
