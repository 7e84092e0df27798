import type { Migration } from './migration.ts';

export const clients: Migration = {
  name: '0003-clients',
  sql: `
    CREATE TABLE clients (
      client_id text PRIMARY KEY,
      name text,
      network_ids bigint[] NOT NULL CHECK (cardinality(network_ids) > 0),
      created_at timestamptz NOT NULL DEFAULT now(),
      revoked_at timestamptz
    );
    COMMENT ON TABLE clients IS 'Partners that ask for access tokens with the client credentials grant.';
    COMMENT ON COLUMN clients.network_ids IS 'In the order of the claim; the first is the default of a request.';

    CREATE TABLE client_secrets (
      hash bytea PRIMARY KEY CHECK (length(hash) = 32),
      client_id text NOT NULL REFERENCES clients,
      created_at timestamptz NOT NULL DEFAULT now(),
      expires_at timestamptz
    );
    CREATE INDEX client_secrets_by_client ON client_secrets (client_id);
    COMMENT ON TABLE client_secrets IS 'Secrets of clients; the secret itself is not here, only its SHA-256.';
    COMMENT ON COLUMN client_secrets.expires_at IS 'Set when a newer secret takes over: until then both are good.';
  `,
};
