import type { Migration } from './migration.ts';

export const signingKeys: Migration = {
  name: '0005-signing-keys',
  sql: `
    CREATE TABLE signing_keys (
      kid text PRIMARY KEY,
      algorithm text NOT NULL,
      public_jwk jsonb NOT NULL,
      private_jwk jsonb,
      created_at timestamptz NOT NULL DEFAULT now(),
      public_until timestamptz
    );
    CREATE UNIQUE INDEX signing_keys_current ON signing_keys ((true)) WHERE public_until IS NULL;
    REVOKE ALL ON signing_keys FROM PUBLIC;
    COMMENT ON TABLE signing_keys IS 'Keys of the built-in identity provider; for the account of the services alone.';
    COMMENT ON COLUMN signing_keys.private_jwk IS 'Only the current key has one.';
    COMMENT ON COLUMN signing_keys.public_until IS 'Null: the key that signs. Else when its last token has expired.';
  `,
};
