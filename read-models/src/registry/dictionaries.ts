import { progressView } from '../declarations/progress.table.ts';
import { registryTables } from './registry.tables.ts';
import { quoteString, type ClickHouseWriter } from '@popsvc/platform/clickhouse';

/** Queries look up names in a dictionary, so a name changes without a replay. */
interface Dictionary {
  readonly name: string;
  readonly source: string;
  readonly key: readonly string[];
  readonly attributes: Readonly<Record<string, string>>;
}

const dictionary = (stem: keyof typeof registryTables): Dictionary => {
  const { name, orderBy, fields } = registryTables[stem];
  const attributes = Object.entries(fields)
    .filter(([field]) => !orderBy.includes(field as never) && field !== 'changed_at' && field !== 'version')
    .map(([field, { type }]) => [field, type] as const);
  return { name: `dict_${stem}`, source: name, key: orderBy, attributes: Object.fromEntries(attributes) };
};

export const dictionaries: readonly Dictionary[] = (
  ['networks', 'vendors', 'sites', 'locations', 'devices', 'feeders', 'cameras', 'campaigns', 'creatives'] as const
).map(dictionary);

const typeOf = (source: string, field: string): string => {
  const table = Object.values(registryTables).find(({ name }) => name === source);
  return (table?.fields as Record<string, { type: string }> | undefined)?.[field]?.type ?? 'String';
};

/** The state changes when the registry projection has written rows, or readers are switched to another generation of it. */
export const selectRegistryState = (database: string): string =>
  `SELECT toString(groupArray((tables_id, generation, changed_pos))) AS state FROM ${database}.${progressView.name}_live ` +
  `WHERE projection = 'registry'`;

/**
 * A server of a cluster can miss a reload, so it also compares the state of the registry every 30 to 60 s. A single server misses none: the
 * batch fails and is repeated.
 */
export const createDictionary = (
  { name, source, key, attributes }: Dictionary,
  { database, credentials, cluster }: Pick<ClickHouseWriter, 'database' | 'credentials' | 'cluster'>,
): string => {
  const columns = [...key.map((field) => [field, typeOf(source, field)] as const), ...Object.entries(attributes)];
  const simple = key.length === 1 && typeOf(source, key[0]!) === 'UInt64';
  // A replica that is behind must not load older names.
  const consistency = cluster === undefined ? '' : ' SETTINGS select_sequential_consistency = 1';
  const invalidation = cluster === undefined ? '' : ` INVALIDATE_QUERY ${quoteString(selectRegistryState(database))}`;
  const lifetime = cluster === undefined ? '0' : 'MIN 30 MAX 60';
  const value = (type: string) => (type.startsWith('Nullable') ? 'DEFAULT NULL' : '');
  return [
    `CREATE OR REPLACE DICTIONARY ${name} (${columns.map(([field, type]) => `${field} ${type} ${value(type)}`).join(', ')})`,
    `PRIMARY KEY ${key.join(', ')}`,
    `SOURCE(CLICKHOUSE(USER ${quoteString(credentials.username)} PASSWORD ${quoteString(credentials.password)} DB ${quoteString(database)}`,
    `QUERY ${quoteString(`SELECT ${columns.map(([field]) => field).join(', ')} FROM ${database}.${source}_live${consistency}`)}${invalidation}))`,
    `LAYOUT(${simple ? 'HASHED' : 'COMPLEX_KEY_HASHED'}()) LIFETIME(${lifetime})`,
  ].join('\n');
};

/** Call it after each change to the registry. Each server loads its own dictionaries. */
export const reloadDictionaries = async (runOnEachServer: (query: string) => Promise<void>): Promise<void> => {
  for (const { name } of dictionaries) await runOnEachServer(`SYSTEM RELOAD DICTIONARY ${name}`);
};
