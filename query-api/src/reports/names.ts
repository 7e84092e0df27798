import {
  bind,
  chunkForParameter,
  type ClickHouseReader,
  joinWithCommas,
  type QueryOptions,
  type Sql,
  sql,
  sqlText,
} from '@popsvc/platform/clickhouse';
import type { Names } from '@popsvc/read-models/datasets';
import { dictionaries } from '@popsvc/read-models/schema';
import { LRUCache } from 'lru-cache';
import { factsIdOf, type GenerationProgress } from '../generations/live-generations.ts';

/** JSON text by attribute, such as `sites.name`, then by the key of the entity. */
type Found = Map<string, Map<string, string>>;
type Wanted = ReadonlyMap<string, ReadonlySet<string>>;

const keyFields = new Map(dictionaries.map(({ name, key }) => [name, key]));

/** `k` in the query is the part of the key other than the network id. */
const keySql = (dictionary: string, network: number): Sql => {
  const fields = keyFields.get(dictionary);
  if (!fields) throw new Error(`there is no dictionary ${dictionary}`);
  const [first, second] = fields;
  const networkId = sql`${bind('UInt64', network)}`;
  if (first === 'network_id') return second === undefined ? networkId : sql`(${networkId}, k)`;
  return first === 'code' ? sql`tuple(k)` : sql`toUInt64(k)`;
};

interface WantedKeys {
  readonly name: string;
  readonly keys: readonly string[];
}

/** ClickHouse accepts URLs of up to 1 MiB, in which a byte may take three. */
const maxQueryBytes = 200_000;

const divide = (wanted: Wanted): readonly (readonly WantedKeys[])[] => {
  const queries: WantedKeys[][] = [];
  let bytes = Infinity;
  for (const [name, all] of wanted)
    for (const keys of chunkForParameter([...all], (key) => key)) {
      const size = Buffer.byteLength(JSON.stringify(keys));
      bytes += size;
      if (bytes > maxQueryBytes) {
        queries.push([]);
        bytes = size;
      }
      queries.at(-1)!.push({ name, keys });
    }
  return queries;
};

/** Selects one array for each item of `wanted`, with the values of its keys in their order; an unknown value is null. */
const queryNames = (wanted: readonly WantedKeys[], network: number): Sql => {
  const arrays = wanted.map(({ name, keys }, index) => {
    const [stem, attribute] = name.split('.');
    const value = sql`dictGetOrNull(${bind('String', `dict_${stem}`)}, ${bind('String', attribute)}, ${keySql(`dict_${stem}`, network)})`;
    return sql`arrayMap(k -> toJSONString(${value}), ${bind('Array(String)', keys)}) AS ${sqlText(`a${index}`)}`;
  });
  return sql`SELECT ${joinWithCommas(arrays)}`;
};

/** For a name that is not in `found`, `find` returns the JSON text `null` and adds the name to `wanted`. */
const collectNames = (network: number, found: Found) => {
  const wanted = new Map<string, Set<string>>();
  const names: Names = {
    network,
    find(name, key) {
      const known = found.get(name)?.get(key);
      if (known !== undefined) return known;
      const keys = wanted.get(name);
      if (keys) keys.add(key);
      else wanted.set(name, new Set([key]));
      return 'null';
    },
  };
  return { names, wanted };
};

const maxNetworks = 200;
const maxNamesOfNetwork = 50_000;
/** A ClickHouse server that missed a reload of its dictionaries returns former names until it loads them on its own. */
const maxAgeMs = 60_000;

/**
 * Calls `render` until all names that it needs are read. `registry`: progress of the registry, read before this call; undefined bypasses
 * the cache.
 */
export type RenderWithNames = <T>(
  network: number,
  registry: GenerationProgress | undefined,
  render: (names: Names) => Promise<T>,
  options: QueryOptions,
) => Promise<T>;

/** The registry projection reloads the dictionaries before it writes its progress, so names read after a progress are at least as new. */
export const createNameRenderer = (reader: ClickHouseReader): RenderWithNames => {
  let version = '';
  let keptUntilMs = 0;
  const networks = new LRUCache<number, Found>({ max: maxNetworks });

  const namesOf = (network: number, registry: GenerationProgress | undefined): Found => {
    if (!registry) return new Map();
    const current = factsIdOf(registry);
    const nowMs = performance.now();
    if (current !== version || nowMs > keptUntilMs) {
      networks.clear();
      keptUntilMs = nowMs + maxAgeMs;
    }
    version = current;
    const found = networks.get(network);
    const isFull = found && [...found.values()].reduce((size, keys) => size + keys.size, 0) > maxNamesOfNetwork;
    if (found && !isFull) return found;
    const empty: Found = new Map();
    networks.set(network, empty);
    return empty;
  };

  const readNames = async (wanted: Wanted, network: number, found: Found, options: QueryOptions) => {
    for (const list of divide(wanted)) {
      const [row] = await reader.rows<Record<string, readonly (string | null)[]>>(queryNames(list, network), options);
      list.forEach(({ name, keys }, index) => {
        const values = row![`a${index}`]!;
        const known = found.get(name) ?? new Map<string, string>();
        keys.forEach((key, at) => known.set(key, values[at] ?? 'null'));
        found.set(name, known);
      });
    }
  };

  return async (network, registry, render, options) => {
    const found = namesOf(network, registry);
    for (;;) {
      const { names, wanted } = collectNames(network, found);
      const rendered = await render(names);
      if (wanted.size === 0) return rendered;
      await readNames(wanted, network, found, options);
    }
  };
};
