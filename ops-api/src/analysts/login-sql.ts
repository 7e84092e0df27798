import { type AnalystLimits, analystLimits, analystsDatabase, type SettingRange } from '@popsvc/read-models/analysts';

/** Role, profile and quota of analysts on a server whose users are made by SQL. */
export const analystRole = 'popsvc_analyst';

const text = (value: number | string) => (typeof value === 'number' ? String(value) : `'${value}'`);

const bounds = ({ least, most }: SettingRange): string =>
  [least === undefined ? '' : ` MIN ${least}`, most === undefined ? '' : ` MAX ${most}`].join('');

const settingsOf = ({ settings, changeableSettings: changeableSettings }: AnalystLimits): string =>
  [
    ...Object.entries(settings).map(([name, value]) => {
      const may = changeableSettings[name];
      return `${name} = ${text(value)}${may ? `${bounds(may)} CHANGEABLE_IN_READONLY` : ''}`;
    }),
    ...Object.entries(changeableSettings)
      .filter(([name]) => !(name in settings))
      .map(([name, may]) => `${name}${bounds(may)} CHANGEABLE_IN_READONLY`),
  ].join(', ');

const quotaOf = ({ quota }: AnalystLimits): string =>
  Object.entries(quota)
    .map(([name, most]) => `${name} = ${most}`)
    .join(', ');

/** What every analyst has in common; doing it again brings it up to date. */
export const roleStatements = (database: string): readonly string[] => [
  `CREATE SETTINGS PROFILE IF NOT EXISTS ${analystRole}`,
  `ALTER SETTINGS PROFILE ${analystRole} SETTINGS ${settingsOf(analystLimits)}`,
  `CREATE ROLE IF NOT EXISTS ${analystRole}`,
  `ALTER ROLE ${analystRole} SETTINGS PROFILE '${analystRole}'`,
  `GRANT SELECT ON ${analystsDatabase(database)}.* TO ${analystRole}`,
  `CREATE QUOTA IF NOT EXISTS ${analystRole} KEYED BY user_name`,
  `ALTER QUOTA ${analystRole} KEYED BY user_name FOR INTERVAL 1 hour MAX ${quotaOf(analystLimits)} TO ${analystRole}`,
];

/** A name is checked before it comes here; the hash is hexadecimal. */
export const userStatements = (name: string, passwordSha256Hex: string): readonly string[] => [
  `CREATE USER ${name} IDENTIFIED WITH sha256_hash BY '${passwordSha256Hex}'`,
  `GRANT ${analystRole} TO ${name}`,
];

export const dropStatements = (name: string): readonly string[] => [`DROP USER IF EXISTS ${name}`];
