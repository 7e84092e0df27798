/** What a user may do, in the engine's own words: its grants and the settings that bind its queries. */
export interface RoleDefinition {
  readonly grants: readonly string[];
  readonly profile: Readonly<Record<string, string | number>>;
  /** The furthest a query may raise a setting of the profile for itself. */
  readonly highest?: Readonly<Record<string, number>>;
  /** In each hour. */
  readonly quota?: Readonly<Record<string, number>>;
}

export type Role = 'writer' | 'reader' | 'analyst';

// The engine asks for the right to each table engine by name, and knows prefixes but no suffixes.
const tableEngines = [
  'MergeTree',
  'ReplacingMergeTree',
  'SummingMergeTree',
  'AggregatingMergeTree',
  'CollapsingMergeTree',
  'VersionedCollapsingMergeTree',
  'CoalescingMergeTree',
  'Memory',
  'Null',
  'Buffer',
  'Merge',
  'Set',
  'Join',
  'Log',
  'Dictionary',
];

// Unquoted: between backquotes the star would be a letter of the name.
const OURS = 'popsvc*.*';

/**
 * Explicit grants all round: a user without them would have every right, among them file() and url(), which read the
 * machine's files and call its neighbours. No role may do that, and none may stop the server or its listener.
 */
export const roles: Readonly<Record<Role, RoleDefinition>> = {
  writer: {
    grants: [
      `GRANT SHOW, SELECT, INSERT, ALTER, CREATE, DROP, UNDROP TABLE, TRUNCATE, OPTIMIZE, CHECK, dictGet ON ${OURS}`,
      `GRANT SYSTEM MERGES, SYSTEM TTL MERGES ON ${OURS}`,
      'GRANT SYSTEM RELOAD DICTIONARY, KILL QUERY ON *.*',
      'GRANT SELECT, SHOW ON system.*',
      ...tableEngines.map((engine) => `GRANT TABLE ENGINE ON ${engine}`),
    ],
    profile: {},
  },
  reader: {
    grants: [`GRANT SHOW, SELECT, dictGet ON ${OURS}`],
    profile: {
      readonly: 2,
      cancel_http_readonly_queries_on_client_close: 1,
      max_execution_time: 60,
      max_memory_usage: 750_000_000,
    },
    // A download lasts as long as its reader reads.
    highest: { max_execution_time: 3_600, max_memory_usage: 1_500_000_000 },
  },
  analyst: {
    grants: [`GRANT SHOW, SELECT, dictGet ON ${OURS}`],
    profile: {
      readonly: 2,
      cancel_http_readonly_queries_on_client_close: 1,
      max_execution_time: 120,
      max_memory_usage: 500_000_000,
      max_threads: 2,
      priority: 10,
    },
    highest: { max_execution_time: 120, max_memory_usage: 500_000_000, max_threads: 2 },
    quota: { queries: 5_000, execution_time: 1_800 },
  },
};
