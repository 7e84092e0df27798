import { analystLimits } from '@popsvc/read-models/analysts';

/** What a user may do, in the engine's own words: its grants and the settings that bind its queries. */
export interface RoleDefinition {
  readonly grants: readonly string[];
  readonly profile: Readonly<Record<string, string | number>>;
  /** How far a query may change a setting for itself. */
  readonly bounds?: Readonly<Record<string, SettingBound>>;
  /** In each hour, of each user. */
  readonly quota?: Readonly<Record<string, number>>;
}

export interface SettingBound {
  readonly least?: number;
  readonly most?: number;
  /** Although the profile is read-only, which else changes nothing. */
  readonly whenReadonly?: true;
}

export type ClickHouseRole = 'writer' | 'reader' | 'analyst';

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
const OF_ANALYSTS = 'analysts_popsvc*.*';

/** Before analysts, who have a higher number. */
const FIRST = 1;

/**
 * Explicit grants all round: a user without them would have every right, among them file() and url(), which read the
 * machine's files and call its neighbours. No role may do that, and none may stop the server or its listener.
 */
export const clickHouseRoles: Readonly<Record<ClickHouseRole, RoleDefinition>> = {
  writer: {
    grants: [
      `GRANT SHOW, SELECT, INSERT, ALTER, CREATE, DROP, UNDROP TABLE, TRUNCATE, OPTIMIZE, CHECK, dictGet ON ${OURS}`,
      `GRANT SYSTEM MERGES, SYSTEM TTL MERGES ON ${OURS}`,
      'GRANT SYSTEM RELOAD DICTIONARY, KILL QUERY ON *.*',
      'GRANT SELECT, SHOW ON system.*',
      `GRANT SHOW, SELECT, INSERT, CREATE, DROP ON ${OF_ANALYSTS}`,
      // Logins of analysts, where the server keeps users that are made by SQL; it may hand on no right but this one.
      `GRANT SELECT ON ${OF_ANALYSTS} WITH GRANT OPTION`,
      'GRANT SHOW USERS, CREATE USER, DROP USER, CREATE ROLE, ALTER ROLE, ROLE ADMIN ON *.*',
      'GRANT CREATE SETTINGS PROFILE, ALTER SETTINGS PROFILE, CREATE QUOTA, ALTER QUOTA ON *.*',
      ...tableEngines.map((engine) => `GRANT TABLE ENGINE ON ${engine}`),
    ],
    profile: { priority: FIRST },
  },
  reader: {
    grants: [`GRANT SHOW, SELECT, dictGet ON ${OURS}`],
    profile: {
      priority: FIRST,
      readonly: 2,
      cancel_http_readonly_queries_on_client_close: 1,
      max_execution_time: 60,
      max_memory_usage: 750_000_000,
    },
    // A download lasts as long as its reader reads.
    bounds: { max_execution_time: { most: 3_600 }, max_memory_usage: { most: 1_500_000_000 } },
  },
  // Views that leave out what is not theirs, and nothing else (docs/decisions/0018).
  analyst: {
    grants: [`GRANT SELECT ON ${OF_ANALYSTS}`],
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
