import type { Command } from 'commander';
import { type AppliedRegistry, applyRegistryFile, formatAppliedRegistry } from '../commands/registry.ts';
import { parseNetworkId } from '../option-values.ts';
import { printResult } from '../output/print.ts';
import { type Connect, dataOf, type ServiceConnection } from '../service-client/ops-client.ts';
import type { Sender } from '../service-client/temporary-credentials.ts';
import { createVendorPushes, type PushTarget } from '../service-client/vendor-pushes.ts';
import { formatCounts, type ImportCounts, pushRows, requireImported } from './push-rows.ts';
import { readDetections, readPlayout } from './read-files.ts';
import { findSourceOfDetections, findSourceOfPlayout, resolveSender } from './resolve-sender.ts';
import { withImportKey } from './with-import-key.ts';

interface ImportOptions extends Partial<Sender> {
  readonly registry?: string;
  readonly playout?: string;
  readonly detections?: string;
}

interface ImportResult {
  readonly registry?: AppliedRegistry;
  readonly plays?: ImportCounts;
  readonly detections?: ImportCounts;
}

const pushFiles = async ({ playout, detections }: ImportOptions, target: PushTarget): Promise<ImportResult> => {
  const pushes = createVendorPushes(target);
  return {
    ...(playout !== undefined && { plays: await pushRows(readPlayout(playout), pushes.plays) }),
    ...(detections !== undefined && { detections: await pushRows(readDetections(detections), pushes.detections) }),
  };
};

const importFiles = async (
  options: ImportOptions,
  apiKey: string | undefined,
  connection: ServiceConnection,
): Promise<ImportResult> => {
  const { registry: registryFile, playout, detections } = options;
  const registry = registryFile === undefined ? undefined : await applyRegistryFile(connection.ops, registryFile);
  const applied = registry && { registry };
  const { ingestUrl } = connection.service;
  // Reading `connection.ops` would throw if the address of the operations server is unknown. These pushes do not need that server.
  if (apiKey !== undefined) return { ...applied, ...(await pushFiles(options, { ingestUrl, apiKey })) };
  const { ops } = connection;
  const source = playout === undefined ? await findSourceOfDetections(detections!) : await findSourceOfPlayout(playout);
  const sender = resolveSender(await dataOf(ops.GET('/ops/v1/registry')), source, options);
  return withImportKey(ops, sender, async (temporaryKey) => ({
    ...applied,
    network_id: sender.network,
    vendor: sender.vendor,
    ...(await pushFiles(options, { ingestUrl, apiKey: temporaryKey })),
  }));
};

const formatResult = ({ registry, plays, detections }: ImportResult): string =>
  [
    registry && formatAppliedRegistry(registry),
    plays && formatCounts('plays', plays),
    detections && formatCounts('detections', detections),
  ]
    .filter((part) => part !== undefined)
    .join('\n');

export const addImportCommands = (program: Command, connect: Connect): void => {
  const group = program.command('import').description('import files through the public interface, like a vendor');
  const run = async (options: ImportOptions, command: Command) => {
    const apiKey = process.env['POPSVC_API_KEY'] || undefined;
    const value = await importFiles(options, apiKey, await connect());
    printResult(command, { value, text: formatResult(value) });
    if (value.plays) requireImported('plays', value.plays);
    if (value.detections) requireImported('detections', value.detections);
  };
  const withCommonOptions = (command: Command): Command =>
    command
      .option('--network <id>', 'network of the file; default: the network of its screens or devices', parseNetworkId)
      .option('--vendor <code>', 'vendor of the file; default: the only vendor of the network')
      .option('--registry <file>', 'registry file to apply first')
      .addHelpText(
        'after',
        '\nThe import uses the API key in POPSVC_API_KEY, or creates one and revokes it afterwards.' +
          '\nA key that the import creates expires after an hour; set POPSVC_API_KEY for a longer import.' +
          '\nIf no row of a file is accepted, or a file cannot be read to its end, the exit code is 1.',
      );

  withCommonOptions(
    group
      .command('playout')
      .description('plays from a digital playout file of the Outsmart Playout Reporting Standard (CSV, may be .gz)')
      .argument('<file>')
      .option('--detections <file>', 'detections to import after the plays (NDJSON, may be .gz)'),
  ).action((playout: string, options: ImportOptions, command: Command) => run({ ...options, playout }, command));

  withCommonOptions(
    group
      .command('detections')
      .description('audience detections, one JSON object a line (may be .gz)')
      .argument('<file>'),
  ).action((detections: string, options: ImportOptions, command: Command) => run({ ...options, detections }, command));
};
