import { stringify } from 'yaml';
import { locateErrorDetails, readStructuredFile } from '../files/structured-file.ts';
import { dataOf, type OpsClient, type OpsRequest, type OpsSchema, withRetries } from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';

export type AppliedRegistry = OpsSchema<'AppliedRegistry'>;
type Change = AppliedRegistry['changes'][number];

interface ApplyOptions {
  readonly dryRun?: boolean;
  readonly restate?: boolean;
}

/** Throws a CliError with the line and column of each problem that the server finds in the file. */
export const applyRegistryFile = async (
  ops: OpsClient,
  path: string,
  { dryRun, restate }: ApplyOptions = {},
): Promise<AppliedRegistry> => {
  const file = await readStructuredFile(path);
  const query = { ...(dryRun && { dry_run: true }), ...(restate && { restate: true }) };
  // The server validates the content.
  const body = file.value as OpsRequest<'/ops/v1/registry'>;
  try {
    return await dataOf(ops.POST('/ops/v1/registry', { params: { query }, body, ...withRetries(15_000) }));
  } catch (error) {
    throw locateErrorDetails(path, file, error);
  }
};

const changeMarks = { created: '+', changed: '~', retired: '-' } as const;

const formatName = ({ name, title }: Change['fields']): string => {
  const value = (name ?? title)?.to;
  return typeof value === 'string' ? `  ${value}` : '';
};

const formatChange = ({ kind, key, change, fields }: Change): string[] =>
  change === 'created'
    ? [`${changeMarks[change]} ${kind} ${key}${formatName(fields)}`]
    : [
        `${changeMarks[change]} ${kind} ${key}`,
        ...Object.entries(fields).map(
          ([name, { from, to }]) => `    ${name}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`,
        ),
      ];

const sumOf = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

export const formatAppliedRegistry = (applied: AppliedRegistry): string => {
  const { created, changed, retired, unchanged, dry_run: dryRun, changes } = applied;
  const counts = `${sumOf(created)} created, ${sumOf(changed)} changed, ${sumOf(retired)} retired, ${sumOf(unchanged)} unchanged`;
  return [...changes.flatMap(formatChange), dryRun ? `Would be: ${counts}. Nothing was changed.` : `${counts}.`].join(
    '\n',
  );
};

export const addRegistryCommands = (program: OpsCommand): void => {
  const group = program.command('registry').description('networks, sites, devices, campaigns and so on');

  group
    .command('apply')
    .description('apply a registry file; entries it does not contain stay unchanged')
    .argument('<file>', 'YAML or JSON')
    .option('--dry-run', 'only print what would change')
    .option('--restate', 'allow metric definitions that take effect in the past; affected reports are recomputed')
    .request(async (ops, file: string, options: ApplyOptions) => {
      const value = await applyRegistryFile(ops, file, options);
      return { value, text: formatAppliedRegistry(value) };
    });

  group
    .command('export')
    .description('print the whole registry as a file: YAML, or JSON with --json')
    .request(async (ops) => {
      const value = await dataOf(ops.GET('/ops/v1/registry'));
      return { value, text: stringify(value) };
    });
};
