import type { Migration } from './migration.ts';

export const apiKeys: Migration = {
  name: '0001-api-keys',
  sql: `
    CREATE TABLE api_keys (
      id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
      vendor text NOT NULL,
      network_id bigint NOT NULL,
      name text,
      hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
      prefix text NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz,
      revoked_at timestamptz
    );
    COMMENT ON TABLE api_keys IS 'API keys; the key itself is not here, only its SHA-256.';
    COMMENT ON COLUMN api_keys.prefix IS 'The first characters of the key, by which its owner recognises it.';

    CREATE TABLE credential_changes (
      only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
      version bigint NOT NULL
    );
    COMMENT ON TABLE credential_changes IS 'Grows with every revocation; processes that remember credentials watch it.';
    INSERT INTO credential_changes (version) VALUES (0);
  `,
};
