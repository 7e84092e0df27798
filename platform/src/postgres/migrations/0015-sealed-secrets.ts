/**
 * A dropped column stays in the files of its table, so the tables are created again. This migration may run in a process without
 * the encryption key, so `sealSecretsInClear` encrypts the secrets later.
 */
export const sealedSecrets = {
  name: '0015-sealed-secrets',
  sql: `
  DROP TABLE signing_keys;
  CREATE TABLE signing_keys (
    kid text PRIMARY KEY,
    algorithm text NOT NULL,
    public_jwk jsonb NOT NULL,
    sealed_private_jwk text,
    created_at timestamptz NOT NULL DEFAULT now(),
    public_until timestamptz
  );
  CREATE UNIQUE INDEX signing_keys_current ON signing_keys ((true)) WHERE public_until IS NULL;
  REVOKE ALL ON signing_keys FROM PUBLIC;
  COMMENT ON TABLE signing_keys IS 'Keys of the built-in identity provider; readable by the services'' account only.';
  COMMENT ON COLUMN signing_keys.sealed_private_jwk IS 'Encrypted with POPSVC_ENCRYPTION_KEY. Only the current key has one.';
  COMMENT ON COLUMN signing_keys.public_until IS 'Null for the current key; otherwise when the last token signed with this key expires.';
  UPDATE credential_changes SET version = version + 1;

  ALTER TABLE webhook_secrets RENAME TO webhook_secrets_in_clear;
  ALTER TABLE webhook_secrets_in_clear RENAME CONSTRAINT webhook_secrets_pkey TO webhook_secrets_in_clear_pkey;
  COMMENT ON TABLE webhook_secrets_in_clear IS 'Secrets that the next start of projectors or query-api encrypts; it then drops this table.';
  CREATE TABLE webhook_secrets (
    id uuid PRIMARY KEY,
    subscription_id uuid NOT NULL REFERENCES webhook_subscriptions ON DELETE CASCADE,
    sealed_secret text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz
  );
  CREATE INDEX webhook_secrets_by_subscription ON webhook_secrets (subscription_id);
  REVOKE ALL ON webhook_secrets FROM PUBLIC;
  COMMENT ON TABLE webhook_secrets IS 'Secrets that sign requests; readable by the services'' account only. A hash would not do, because each request is signed with the secret.';
  COMMENT ON COLUMN webhook_secrets.sealed_secret IS 'Encrypted with POPSVC_ENCRYPTION_KEY.';
  COMMENT ON COLUMN webhook_secrets.expires_at IS 'Set when a newer secret replaces this one; requests are signed with both until then.';
`,
};
