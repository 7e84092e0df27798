import type { Migration } from './migration.ts';

export const analysts: Migration = {
  name: '0015-analysts',
  sql: `
    CREATE SEQUENCE analyst_changes;
    CREATE TABLE analysts (
      name text PRIMARY KEY,
      network_ids bigint[],
      password_sha256 bytea NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      revoked_at timestamptz,
      version bigint NOT NULL DEFAULT nextval('analyst_changes')
    );
    COMMENT ON TABLE analysts IS 'Who may ask ClickHouse in SQL, and of which networks. A name is never given out twice: where users are read at a start, the former password of a revoked one is good until then.';
    COMMENT ON COLUMN analysts.network_ids IS 'Null: of all networks.';
    COMMENT ON COLUMN analysts.password_sha256 IS 'As ClickHouse stores it; the password is random and long.';
    COMMENT ON COLUMN analysts.version IS 'Grows with every change of any analyst; ClickHouse keeps the highest.';
  `,
};
