import type { OperatorRole } from '@popsvc/contracts/vocabulary';
import type { Queryable } from './pool.ts';

export interface AccountRecord {
  readonly name: string;
  readonly role: OperatorRole;
  /** Changes with the role and the password. No two accounts share a version, not even former accounts with the same name. */
  readonly version: string;
  readonly createdAt: Date;
  readonly changedAt: Date;
}

export interface AccountWithPassword extends AccountRecord {
  readonly passwordHash: string;
}

const columns = `name, role, version::text, created_at AS "createdAt", changed_at AS "changedAt"`;
const change = `version = nextval('operator_account_changes'), changed_at = now()`;

/** Returns undefined if an account with this name exists. */
export const insertAccount = async (
  postgres: Queryable,
  { name, role, passwordHash }: Pick<AccountWithPassword, 'name' | 'role' | 'passwordHash'>,
): Promise<AccountRecord | undefined> => {
  const { rows } = await postgres.query<AccountRecord>(
    `INSERT INTO operator_accounts (name, role, password_hash) VALUES ($1, $2, $3)
     ON CONFLICT (name) DO NOTHING RETURNING ${columns}`,
    [name, role, passwordHash],
  );
  return rows[0];
};

export const listAccounts = async (postgres: Queryable): Promise<readonly AccountRecord[]> =>
  (await postgres.query<AccountRecord>(`SELECT ${columns} FROM operator_accounts ORDER BY name`)).rows;

export const findAccount = async (postgres: Queryable, name: string): Promise<AccountWithPassword | undefined> => {
  const { rows } = await postgres.query<AccountWithPassword>(
    `SELECT ${columns}, password_hash AS "passwordHash" FROM operator_accounts WHERE name = $1`,
    [name],
  );
  return rows[0];
};

/** A changed role ends the sessions of the account. Returns undefined if the account does not exist. */
export const setAccountRole = async (
  postgres: Queryable,
  name: string,
  role: OperatorRole,
): Promise<AccountRecord | undefined> => {
  await postgres.query(`UPDATE operator_accounts SET role = $2, ${change} WHERE name = $1 AND role <> $2`, [
    name,
    role,
  ]);
  return findAccount(postgres, name);
};

/** Ends the sessions of the account. Returns undefined if the account does not exist. */
export const setAccountPassword = async (
  postgres: Queryable,
  name: string,
  passwordHash: string,
): Promise<AccountRecord | undefined> => {
  const { rows } = await postgres.query<AccountRecord>(
    `UPDATE operator_accounts SET password_hash = $2, ${change} WHERE name = $1 RETURNING ${columns}`,
    [name, passwordHash],
  );
  return rows[0];
};

/** Ends the sessions of the account. Returns undefined if the account does not exist. */
export const deleteAccount = async (postgres: Queryable, name: string): Promise<AccountRecord | undefined> => {
  const { rows } = await postgres.query<AccountRecord>(
    `DELETE FROM operator_accounts WHERE name = $1 RETURNING ${columns}`,
    [name],
  );
  return rows[0];
};
