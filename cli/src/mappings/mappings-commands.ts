import { type BulkFormat, CSV_DELIMITERS, type CsvDelimiter } from '@popsvc/contracts/bulk';
import { Zone } from '@popsvc/contracts/registry';
import { mayNeedDeviceZone, type SampleReport, testMapping } from '@popsvc/domain/mappings';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatOfFileName, readFileRows } from '../files/data-file.ts';
import { locateErrorDetails, readStructuredFile } from '../files/structured-file.ts';
import { CliError } from '../output/cli-error.ts';
import { formatNumber, formatTable } from '../output/format.ts';
import { printNote, printResult } from '../output/print.ts';
import {
  type Connect,
  dataOf,
  type OpsRequest,
  type OpsResponse,
  type OpsSchema,
  withRetries,
} from '../service-client/ops-client.ts';
import type { OpsCommand } from '../service-client/ops-command.ts';
import { readMapping } from './mapping-file.ts';

type ZoneOf = (screenId: string) => string | undefined;

const formatCount = (count: number, noun: string): string => `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;

const formatSampleReport = (report: SampleReport): string => {
  const { rows, plays, distinct, bad, bad_rows: badRows, bad_by_code: countByCode, fields } = report;
  const [firstPlay] = report.first_plays;
  const table = formatTable(
    fields.map((field) => ({ ...field, examples: field.examples.join(' | ') || undefined })),
    ['field', 'found', 'missing', 'unparsable', 'examples'],
    'The file has no readable rows.',
  );
  const problems = fields.flatMap((field) => field.problems.map((problem) => `  ${problem}`));
  const codes = Object.entries(countByCode).map(([code, count]) => `${formatNumber(count)} ${code}`);
  const badCounts = codes.length > 0 ? ` (${codes.join(', ')})` : '';
  return [
    table,
    ...(problems.length > 0 ? ['', 'Examples of unreadable values:', ...problems] : []),
    '',
    `${formatCount(rows, 'row')}: ${formatCount(plays, 'play')} (${formatNumber(distinct)} distinct), ${formatNumber(bad)} bad${badCounts}`,
    ...badRows.map(({ row, reason }) => `  row ${row}: ${reason}`),
    ...(firstPlay ? ['', 'The first play:', JSON.stringify(firstPlay, null, 2)] : []),
  ].join('\n');
};

interface TestOptions {
  readonly sample: string;
  readonly format?: BulkFormat;
  readonly delimiter?: CsvDelimiter;
  readonly zone?: string;
}

const applyMappingFile = async (connect: Connect, path: string): Promise<OpsSchema<'AppliedMapping'>> => {
  const file = await readStructuredFile(path);
  const { ops } = await connect();
  // The server validates the content.
  const body = file.value as OpsRequest<'/ops/v1/mappings'>;
  try {
    return await dataOf(ops.POST('/ops/v1/mappings', { body, ...withRetries(15_000) }));
  } catch (error) {
    throw locateErrorDetails(path, file, error);
  }
};

const parseZone = (text: string): string => {
  if (Zone.safeParse(text).success) return text;
  throw new InvalidArgumentError('must be an IANA time zone such as Europe/London.');
};

/** A tab is hard to type in a shell, so its name is accepted, too. */
const parseDelimiter = (text: string): CsvDelimiter => {
  const found = CSV_DELIMITERS.find((delimiter) => delimiter === (text === 'tab' ? '\t' : text));
  if (found) return found;
  throw new InvalidArgumentError('must be "," or ";" or tab.');
};

const createZoneOf = (
  { devices, locations, sites, vendors }: OpsResponse<'/ops/v1/registry'>,
  vendorCode: string,
): ZoneOf => {
  const network = vendors.find(({ code }) => code === vendorCode)?.network;
  const sitesById = new Map(sites.map((site) => [site.id, site]));
  const siteOfLocation = new Map(locations.map(({ id, site }) => [id, sitesById.get(site)]));
  const zones = new Map<string, string>();
  for (const { location, timezone, screen_ids: screens } of devices) {
    const site = siteOfLocation.get(location);
    // The network of an unregistered vendor is unknown, so the screens of all networks are included.
    if (!site || (network !== undefined && site.network !== network)) continue;
    for (const screen of screens) zones.set(screen, timezone ?? site.timezone);
  }
  return (screenId) => zones.get(screenId);
};

const readRegisteredZones = async (
  connect: Connect,
  vendor: string,
): Promise<{ readonly zoneOf: ZoneOf; readonly problem?: string }> => {
  try {
    const { ops } = await connect();
    return { zoneOf: createZoneOf(await dataOf(ops.GET('/ops/v1/registry')), vendor) };
  } catch (error) {
    return { zoneOf: () => undefined, problem: error instanceof Error ? error.message : String(error) };
  }
};

const testMappingFile = async (
  connect: Connect,
  path: string,
  { sample, format, delimiter, zone }: TestOptions,
): Promise<SampleReport> => {
  const mapping = await readMapping(path);
  const sampleFormat = format ?? formatOfFileName(sample);
  if (!sampleFormat) throw new CliError(`The name of ${sample} does not show its format: specify it with --format.`);
  const needsRegistry = zone === undefined && mayNeedDeviceZone(mapping);
  const registered = needsRegistry ? await readRegisteredZones(connect, mapping.vendor) : undefined;
  const zoneOf = registered?.zoneOf ?? (() => zone);
  const rows = readFileRows(sample, sampleFormat, { columns: mapping.columns, delimiter });
  const report = await testMapping(mapping, rows, zoneOf, Date.now());
  if (report.bad_by_code['no_zone'] !== undefined)
    printNote(
      `Times without an offset need the time zone of their device: specify it with --zone, or register the screen. ${registered?.problem ?? ''}`.trim(),
    );
  return report;
};

export const addMappingsCommands = (program: OpsCommand, connect: Connect): void => {
  const group = program.command('mappings').description("mappings of vendors' own schemas to plays");

  group
    .command('apply')
    .description('put a mapping into force; the mapping already in force changes nothing')
    .argument('<file>', 'YAML or JSON')
    .action(async (file: string, _: object, command: Command) => {
      const value = await applyMappingFile(connect, file);
      const { vendor, schema_version: schemaVersion, version, changed } = value;
      const outcome = changed ? 'is in force' : 'was in force already';
      printResult(command, { value, text: `${vendor} ${schemaVersion}: version ${version} ${outcome}.` });
    });

  group
    .command('list')
    .description('the mappings in force')
    .request(async (ops) => {
      const value = await dataOf(ops.GET('/ops/v1/mappings'));
      const fields = ['vendor', 'network_id', 'schema_version', 'version', 'registered_at'];
      return { value, text: formatTable(value, fields, 'There are no mappings.') };
    });

  group
    .command('test')
    .description('test a mapping with a sample file, without changing anything: the result of each field and row')
    .argument('<file>', 'YAML or JSON')
    .requiredOption('--sample <file>', "events in the vendor's format (may be .gz)")
    .addOption(new Option('--format <format>', 'default: by the name of the sample').choices(['csv', 'json', 'ndjson']))
    .option('--delimiter <delimiter>', 'of a CSV: , or ; or tab; default: detected from the header row', parseDelimiter)
    .option('--zone <zone>', 'time zone of the devices; default: from the registry of a running service', parseZone)
    .action(async (file: string, options: TestOptions, command: Command) => {
      const value = await testMappingFile(connect, file, options);
      printResult(command, { value, text: formatSampleReport(value) });
      if (value.plays === 0)
        throw new CliError(`The mapping produces no play from ${options.sample}; see the result of each row above.`);
    });
};
