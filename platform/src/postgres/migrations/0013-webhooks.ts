export const webhooks = {
  name: '0013-webhooks',
  sql: `
  CREATE TABLE webhook_subscriptions (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    network_id bigint NOT NULL,
    vendor text,
    client_id text,
    url text NOT NULL,
    types text[] NOT NULL CHECK (cardinality(types) > 0),
    description text,
    created_at timestamptz NOT NULL DEFAULT now(),
    CHECK (vendor IS NULL OR client_id IS NULL)
  );
  CREATE INDEX webhook_subscriptions_by_network ON webhook_subscriptions (network_id);
  COMMENT ON TABLE webhook_subscriptions IS 'URLs to which notices of a network are posted.';
  COMMENT ON COLUMN webhook_subscriptions.vendor IS 'Only notices about this vendor; null: of the whole network.';
  COMMENT ON COLUMN webhook_subscriptions.client_id IS 'The partner that created it; null for those of vendors and operators.';

  CREATE TABLE webhook_secrets (
    subscription_id uuid NOT NULL REFERENCES webhook_subscriptions ON DELETE CASCADE,
    secret text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    PRIMARY KEY (subscription_id, secret)
  );
  REVOKE ALL ON webhook_secrets FROM PUBLIC;
  COMMENT ON TABLE webhook_secrets IS 'Secrets that sign requests; readable by the services'' account only. A hash would not do, because each request is signed with the secret.';
  COMMENT ON COLUMN webhook_secrets.expires_at IS 'Set when a newer secret replaces this one; requests are signed with both until then.';

  CREATE TABLE webhook_deliveries (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    sequence bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
    subscription_id uuid NOT NULL REFERENCES webhook_subscriptions ON DELETE CASCADE,
    notice_id uuid NOT NULL,
    payload text NOT NULL,
    state text NOT NULL DEFAULT 'pending' CHECK (state IN ('pending', 'delivered', 'dead')),
    created_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    next_attempt_at timestamptz,
    claims int NOT NULL DEFAULT 0,
    attempts jsonb NOT NULL DEFAULT '[]',
    UNIQUE (subscription_id, notice_id),
    CHECK ((state = 'pending') = (next_attempt_at IS NOT NULL))
  );
  CREATE INDEX webhook_deliveries_due ON webhook_deliveries (subscription_id, next_attempt_at) WHERE state = 'pending';
  CREATE INDEX webhook_deliveries_by_subscription ON webhook_deliveries (subscription_id, sequence);
  CREATE INDEX webhook_deliveries_dead ON webhook_deliveries (subscription_id) WHERE state = 'dead';
  COMMENT ON TABLE webhook_deliveries IS 'Notices for subscriptions, kept for 30 days.';
  COMMENT ON COLUMN webhook_deliveries.payload IS 'The body of the requests, byte for byte, because it is signed.';
  COMMENT ON COLUMN webhook_deliveries.changed_at IS 'When the state changed.';
  COMMENT ON COLUMN webhook_deliveries.next_attempt_at IS 'While a process posts, the time after which another one attempts it again.';
  COMMENT ON COLUMN webhook_deliveries.claims IS 'Attempts since the notice or the last redelivery; fences off a process that took too long.';
  COMMENT ON COLUMN webhook_deliveries.attempts IS 'The last 20 attempts: at, status, error, duration_ms.';

  CREATE TABLE report_day_hashes (
    report text NOT NULL,
    network_id bigint NOT NULL,
    day date NOT NULL,
    hash text NOT NULL,
    PRIMARY KEY (report, network_id, day)
  );
  COMMENT ON TABLE report_day_hashes IS 'Hash of the rows of each final day, as of its last notice.';

  CREATE TABLE report_day_checks (
    report text NOT NULL,
    network_id bigint NOT NULL,
    position bigint NOT NULL,
    tables_id text NOT NULL,
    waiting_days date[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (report, network_id)
  );
  COMMENT ON TABLE report_day_checks IS 'Up to which position of the log the final days of a network are compared with their hashes.';
  COMMENT ON COLUMN report_day_checks.tables_id IS 'Tables that were compared; a replay makes new ones.';
  COMMENT ON COLUMN report_day_checks.waiting_days IS 'Days that changed again within an hour after a notice; they are compared again.';
`,
};
