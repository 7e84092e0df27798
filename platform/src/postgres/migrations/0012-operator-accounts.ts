export const operatorAccounts = {
  name: '0012-operator-accounts',
  sql: `
  CREATE SEQUENCE operator_account_changes;
  CREATE TABLE operator_accounts (
    name text PRIMARY KEY,
    role text NOT NULL CHECK (role IN ('viewer', 'operator', 'admin')),
    password_hash text NOT NULL,
    version bigint NOT NULL DEFAULT nextval('operator_account_changes'),
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now()
  );
  REVOKE ALL ON operator_accounts FROM PUBLIC;
  COMMENT ON TABLE operator_accounts IS 'Local accounts of operators, for the console.';
  COMMENT ON COLUMN operator_accounts.password_hash IS 'scrypt:{N}:{r}:{p}:{salt}:{hash}, salt and hash in base64url.';
  COMMENT ON COLUMN operator_accounts.version IS 'Changes with the role and the password; sessions of another version have ended.';
`,
};
