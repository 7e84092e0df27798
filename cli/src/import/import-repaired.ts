import { z } from 'zod';
import { readFileRows } from '../files/data-file.ts';
import { CliError } from '../output/cli-error.ts';
import type { OpsClient } from '../service-client/ops-client.ts';
import type { Sender } from '../service-client/temporary-credentials.ts';
import { createDynamicPush, createVendorPushes, type Push, type PushTarget } from '../service-client/vendor-pushes.ts';
import { formatCounts, type ImportCounts, pushRows } from './push-rows.ts';
import type { NumberedRow } from './read-files.ts';
import { withImportKey } from './with-import-key.ts';

/** A line of the file that the projectors write after a repair of the log. The service validates `item`. */
const RepairedFact = z.object({
  kind: z.enum(['plays', 'dynamic', 'detections', 'heartbeats', 'intervals']),
  network_id: z.int().min(1),
  vendor: z.string().min(1),
  schema_version: z.string().optional(),
  item: z.looseObject({}),
});
type RepairedFact = z.output<typeof RepairedFact>;

/** Facts that one request can contain: of one sender, kind and schema. */
type FactGroup = Omit<RepairedFact, 'item'>;

export interface RepairedImport extends FactGroup {
  readonly counts: ImportCounts;
}

const groupKey = ({ network_id: network, vendor, kind, schema_version: schema = '' }: FactGroup): string =>
  JSON.stringify([network, vendor, kind, schema]);

async function* readFacts(path: string): AsyncGenerator<{ readonly row: number; readonly fact: RepairedFact }> {
  for await (const read of readFileRows(path, 'ndjson')) {
    const { row } = read;
    if ('error' in read) throw new CliError(`${path}: row ${row} ${read.error}.`);
    const parsed = RepairedFact.safeParse(read.event);
    if (!parsed.success) throw new CliError(`${path}: row ${row} is not a fact: ${z.prettifyError(parsed.error)}`);
    yield { row, fact: parsed.data };
  }
}

/** Reads the whole file, so that nothing is sent if a line is invalid. Returns the groups in the order of their first lines. */
const readGroups = async (path: string): Promise<readonly FactGroup[]> => {
  const groups = new Map<string, FactGroup>();
  for await (const { fact } of readFacts(path)) {
    const { kind, network_id, vendor, schema_version } = fact;
    const key = groupKey(fact);
    if (!groups.has(key)) groups.set(key, { kind, network_id, vendor, schema_version });
  }
  return [...groups.values()];
};

const idOf = ({ kind, item }: RepairedFact): string => {
  const id = kind === 'plays' ? item['eventId'] : kind === 'detections' ? item['detectionId'] : undefined;
  return typeof id === 'string' ? id : JSON.stringify(item);
};

async function* rowsOfGroup(path: string, group: FactGroup): AsyncGenerator<NumberedRow<object>> {
  const key = groupKey(group);
  for await (const { row, fact } of readFacts(path))
    if (groupKey(fact) === key) yield { row, id: idOf(fact), item: fact.item };
}

const pushOf = ({ kind, schema_version: schema = '' }: FactGroup, target: PushTarget): Push =>
  (kind === 'dynamic' ? createDynamicPush(target, schema) : createVendorPushes(target)[kind]) as Push;

/** Sends the facts of a file again, each as its vendor. The file is read once for each group of facts. */
export const importRepaired = async (
  path: string,
  ops: OpsClient,
  ingestUrl: string,
): Promise<readonly RepairedImport[]> => {
  const imports: RepairedImport[] = [];
  for (const group of await readGroups(path)) {
    const sender: Sender = { network: group.network_id, vendor: group.vendor };
    const counts = await withImportKey(ops, sender, (apiKey) =>
      pushRows(rowsOfGroup(path, group), pushOf(group, { ingestUrl, apiKey })),
    );
    imports.push({ ...group, counts });
  }
  return imports;
};

export const formatRepairedImports = (imports: readonly RepairedImport[]): string =>
  imports
    .map(({ network_id: network, vendor, kind, schema_version: schema, counts }) =>
      formatCounts(`network ${network}, ${vendor}, ${kind}${schema === undefined ? '' : ` (${schema})`}`, counts),
    )
    .join('\n');
