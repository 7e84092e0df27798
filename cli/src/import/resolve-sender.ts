import type { RegistryFile } from '@popsvc/contracts/registry';
import { CliError } from '../output/cli-error.ts';
import type { Sender } from '../service-client/temporary-credentials.ts';
import { type NumberedRow, readDetections, readPlayout } from './read-files.ts';

/** The screens or devices in the first 200 rows of a file. */
export interface FileSource {
  readonly screens?: ReadonlySet<string>;
  readonly devices?: ReadonlySet<number>;
}

const maxReadRows = 200;

const collectFromRows = async <Item, Value>(
  rows: AsyncIterable<NumberedRow<Item>>,
  valueOf: (item: Item) => Value,
): Promise<ReadonlySet<Value>> => {
  const values = new Set<Value>();
  let count = 0;
  try {
    for await (const row of rows) {
      if ('item' in row) values.add(valueOf(row.item));
      if (++count >= maxReadRows) break;
    }
  } catch (error) {
    // The import pushes the valid rows before the error, and then reports the error.
    if (!(error instanceof CliError) || values.size === 0) throw error;
  }
  return values;
};

export const findSourceOfPlayout = async (path: string): Promise<FileSource> => ({
  screens: await collectFromRows(readPlayout(path), ({ screenId }) => screenId),
});

export const findSourceOfDetections = async (path: string): Promise<FileSource> => ({
  devices: await collectFromRows(readDetections(path), ({ deviceId }) => deviceId),
});

const networksOfDevices = ({ devices, locations, sites }: RegistryFile): ReadonlyMap<number, number> => {
  const siteOf = new Map(locations.map(({ id, site }) => [id, site]));
  const networkOf = new Map(sites.map(({ id, network }) => [id, network]));
  return new Map(devices.map(({ id, location }) => [id, networkOf.get(siteOf.get(location) ?? 0) ?? 0]));
};

const advice = 'specify network and vendor with --network and --vendor';

/** Requested values take precedence. Throws a CliError if the network or vendor that is not requested is unknown or ambiguous. */
export const resolveSender = (
  registry: RegistryFile,
  { screens, devices }: FileSource,
  requested: Partial<Sender>,
): Sender => {
  const networkOf = networksOfDevices(registry);
  const found = registry.devices.filter(
    ({ id, screen_ids: own }) => (devices?.has(id) ?? false) || own.some((screen) => screens?.has(screen) ?? false),
  );
  const networks =
    requested.network === undefined ? new Set(found.map(({ id }) => networkOf.get(id) ?? 0)) : [requested.network];
  const [network, another] = [...networks];
  if (network === undefined)
    throw new CliError(
      `None of the screens or devices in this file is registered: apply the registry file that contains them, or ${advice}.`,
    );
  if (another !== undefined)
    throw new CliError(
      `The screens or devices in this file belong to more than one network (${[...networks].join(', ')}): ${advice}.`,
    );
  const vendors = registry.vendors.filter((vendor) => vendor.network === network && !vendor.retired);
  const vendor = requested.vendor ?? (vendors.length === 1 ? vendors[0]!.code : undefined);
  if (vendor === undefined) throw new CliError(`Network ${network} has ${vendors.length} vendors: ${advice}.`);
  return { network, vendor };
};
