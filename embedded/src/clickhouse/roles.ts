import { analystLimits } from '@popsvc/read-models/analysts';

/** The rights of a user in ClickHouse's terms: its grants and the settings of its queries. */
export interface RoleDefinition {
  readonly grants: readonly string[];
  readonly profile: Readonly<Record<string, string | number>>;
  /** The settings that a query may change, and how far. */
  readonly bounds?: Readonly<Record<string, SettingBound>>;
  /** Quota for each user and hour. */
  readonly quota?: Readonly<Record<string, number>>;
}

export interface SettingBound {
  readonly least?: number;
  readonly most?: number;
  /** The setting may be changed although the profile is read-only. */
  readonly whenReadonly?: true;
}

export type ClickHouseRole = 'writer' | 'reader' | 'analyst';

// ClickHouse grants table engines by name; it supports prefixes (`Merge*`) but no suffixes (`*MergeTree`).
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

// Unquoted, because between backquotes the star would be part of the name.
const serviceTables = 'popsvc*.*';
const analystTables = 'analysts_popsvc*.*';

/** Queries of the services run before those of analysts, which have a larger number. */
const servicePriority = 1;

/**
 * Each role has explicit grants. A user without any would have all rights, also to the table functions file() and url(), which read
 * files of the machine and send requests to its network. No role has these rights or may stop the server or its listener.
 */
export const clickHouseRoles: Readonly<Record<ClickHouseRole, RoleDefinition>> = {
  writer: {
    grants: [
      `GRANT SHOW, SELECT, INSERT, ALTER, CREATE, DROP, UNDROP TABLE, TRUNCATE, OPTIMIZE, CHECK, dictGet ON ${serviceTables}`,
      `GRANT SYSTEM MERGES, SYSTEM TTL MERGES ON ${serviceTables}`,
      'GRANT SYSTEM RELOAD DICTIONARY, KILL QUERY ON *.*',
      'GRANT SELECT, SHOW ON system.*',
      `GRANT SHOW, SELECT, INSERT, CREATE, DROP ON ${analystTables}`,
      // For analysts' logins on servers that create users by SQL. The writer can grant no other right.
      `GRANT SELECT ON ${analystTables} WITH GRANT OPTION`,
      'GRANT SHOW USERS, CREATE USER, DROP USER, CREATE ROLE, ALTER ROLE, ROLE ADMIN ON *.*',
      'GRANT CREATE SETTINGS PROFILE, ALTER SETTINGS PROFILE, CREATE QUOTA, ALTER QUOTA ON *.*',
      ...tableEngines.map((engine) => `GRANT TABLE ENGINE ON ${engine}`),
    ],
    profile: { priority: servicePriority },
  },
  reader: {
    grants: [`GRANT SHOW, SELECT, dictGet ON ${serviceTables}`],
    profile: {
      priority: servicePriority,
      readonly: 2,
      cancel_http_readonly_queries_on_client_close: 1,
      max_execution_time: 60,
      max_memory_usage: 750_000_000,
    },
    // A download takes as long as the client reads.
    bounds: { max_execution_time: { most: 3_600 }, max_memory_usage: { most: 1_500_000_000 } },
  },
  // Only the views, which show the rows of the analyst's networks (docs/decisions/0018-analysts.md).
  analyst: {
    grants: [`GRANT SELECT ON ${analystTables}`],
    profile: analystLimits.settings,
    bounds: Object.fromEntries(
      Object.entries(analystLimits.changeableSettings).map(([setting, bound]) => [
        setting,
        { ...bound, whenReadonly: true },
      ]),
    ),
    quota: analystLimits.quota,
  },
};
