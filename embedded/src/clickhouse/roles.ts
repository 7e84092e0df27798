import { analystLimits, schemaRelations } from '@popsvc/read-models/analysts';

export interface RoleDefinition {
  readonly grants: readonly string[];
  readonly profile: Readonly<Record<string, string | number>>;
  readonly bounds?: Readonly<Record<string, SettingBound>>;
  /** Limits of each user's hourly quota, keyed by the names that ClickHouse uses. */
  readonly quota?: Readonly<Record<string, number>>;
}

export interface SettingBound {
  readonly least?: number;
  readonly most?: number;
  readonly except?: number;
  readonly whenReadonly?: true;
}

export type ClickHouseRole = 'writer' | 'reader' | 'analyst';

export type Secret = { readonly password: string } | { readonly passwordSha256Hex: string };

export type ClickHouseUser = Secret & {
  readonly name: string;
  readonly role: ClickHouseRole;
};

// ClickHouse grants table engines by name or prefix (`Merge*`), not by suffix (`*MergeTree`).
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

// Inside backquotes, the asterisk would be part of the name.
const serviceTables = 'popsvc*.*';
const analystTables = 'analysts_popsvc*.*';

/** A larger number means a lower priority. */
const servicePriority = 1;

/**
 * A user without grants would have all rights, including the table functions file() and url(), which read files and networks of the
 * host.
 */
export const clickHouseRoles: Readonly<Record<ClickHouseRole, RoleDefinition>> = {
  writer: {
    grants: [
      `GRANT SHOW, SELECT, INSERT, ALTER, CREATE, DROP, UNDROP TABLE, TRUNCATE, OPTIMIZE, CHECK, dictGet ON ${serviceTables}`,
      `GRANT SYSTEM MERGES, SYSTEM TTL MERGES ON ${serviceTables}`,
      'GRANT SYSTEM RELOAD DICTIONARY, KILL QUERY ON *.*',
      'GRANT SELECT, SHOW ON system.*',
      `GRANT SHOW, SELECT, INSERT, CREATE, DROP ON ${analystTables}`,
      // For servers where users are created with SQL. The writer can grant to an analyst only the privileges with the grant option.
      `GRANT SELECT ON ${analystTables} WITH GRANT OPTION`,
      ...schemaRelations.map((relation) => `GRANT SELECT ON ${relation} WITH GRANT OPTION`),
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
    // A download runs as long as the client reads, so its query may raise the limits up to these values.
    bounds: { max_execution_time: { most: 3_600 }, max_memory_usage: { most: 1_500_000_000 } },
  },
  // An analyst may read the schema, and views that show the rows of the analyst's networks (docs/decisions/0018-analysts.md).
  analyst: {
    grants: [`GRANT SELECT ON ${analystTables}`, ...schemaRelations.map((relation) => `GRANT SELECT ON ${relation}`)],
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
