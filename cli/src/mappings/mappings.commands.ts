import type { BulkFormat } from '@popsvc/contracts/bulk';
import { Zone } from '@popsvc/contracts/registry';
import { mayNeedDeviceZone } from '@popsvc/domain/mappings';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { columns } from '../program/columns.ts';
import type { Connect } from '../program/connect.ts';
import { Failure } from '../program/failure.ts';
import { print, remark } from '../program/print.ts';
import { readStructured } from '../registry/read-structured.ts';
import { refusedFile } from '../registry/refused-file.ts';
import { registeredZones } from './device-zones.ts';
import { fileRows, formatOf } from './file-rows.ts';
import { readMapping } from './read-mapping.ts';
import { toldSample } from './told-sample.ts';
import { trySample } from './try-sample.ts';

interface Registered {
  readonly vendor: string;
  readonly schema_version: string;
  readonly version: number;
  readonly changed: boolean;
}

interface TestOptions {
  readonly sample: string;
  readonly format?: BulkFormat;
  readonly zone?: string;
}

const applyFile = async (connect: Connect, path: string): Promise<Registered> => {
  const file = await readStructured(path);
  const { ops } = await connect();
  try {
    return await ops<Registered>('/mappings', { method: 'POST', body: file.value, patienceMs: 15_000 });
  } catch (error) {
    throw refusedFile(path, file, error);
  }
};

const zone = (text: string): string => {
  if (Zone.safeParse(text).success) return text;
  throw new InvalidArgumentError('must be an IANA time zone such as Europe/London.');
};

const testFile = async (connect: Connect, path: string, { sample, format, zone: given }: TestOptions) => {
  const mapping = await readMapping(path);
  const wanted = format ?? formatOf(sample);
  if (!wanted) throw new Failure(`What ${sample} holds cannot be told by its name: say it with --format.`);
  const asked =
    given === undefined && mayNeedDeviceZone(mapping) ? await registeredZones(connect, mapping.vendor) : undefined;
  const zoneOf = asked?.zoneOf ?? (() => given);
  const report = await trySample(mapping, fileRows(sample, wanted, mapping), zoneOf, Date.now());
  if (report.bad_by_code['no_zone'] !== undefined)
    remark(`Times without offset need the zone of their device: name one with --zone. ${asked?.trouble ?? ''}`.trim());
  return report;
};

export const mappingsCommands = (program: Command, connect: Connect): void => {
  const group = program.command('mappings').description("how events of vendors' own schemas become plays");

  group
    .command('apply')
    .description('put a mapping into force; the one in force already changes nothing')
    .argument('<file>', 'YAML or JSON')
    .action(async (file: string, _: object, command: Command) => {
      const value = await applyFile(connect, file);
      const { vendor, schema_version: schemaVersion, version, changed } = value;
      const what = changed ? 'is in force' : 'was in force already';
      print(command, { value, text: `${vendor} ${schemaVersion}: version ${version} ${what}.` });
    });

  group
    .command('list')
    .description('the mappings in force')
    .action(async (_: object, command: Command) => {
      const { ops } = await connect();
      const value = await ops<object[]>('/mappings');
      const fields = ['vendor', 'network_id', 'schema_version', 'version', 'registered_at'];
      print(command, { value, text: columns(value, fields, 'There are no mappings.') });
    });

  group
    .command('test')
    .description(
      'try a mapping on a sample file, without changing anything: what each field finds, what becomes a play',
    )
    .argument('<file>', 'YAML or JSON')
    .requiredOption('--sample <file>', 'events as the vendor sends them (may be .gz)')
    .addOption(new Option('--format <format>', 'default: by the name of the sample').choices(['csv', 'json', 'ndjson']))
    .option('--zone <zone>', 'zone of the devices; default: as the registry of a running service has them', zone)
    .action(async (file: string, options: TestOptions, command: Command) => {
      const value = await testFile(connect, file, options);
      print(command, { value, text: toldSample(value) });
      if (value.plays === 0) throw new Failure(`${options.sample}: no row becomes a play.`);
    });
};
