const credentials = `
  CREATE TABLE api_keys (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    vendor text NOT NULL,
    network_id bigint NOT NULL,
    name text,
    hash bytea NOT NULL UNIQUE CHECK (length(hash) = 32),
    prefix text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz,
    revoked_at timestamptz,
    requests_per_second int CHECK (requests_per_second > 0),
    events_per_second int CHECK (events_per_second > 0)
  );
  COMMENT ON TABLE api_keys IS 'API keys; stores the SHA-256 of a key, never the key.';
  COMMENT ON COLUMN api_keys.prefix IS 'The first characters of the key, by which its owner recognises it.';
  COMMENT ON COLUMN api_keys.requests_per_second IS 'Null: the default rate. Each process allows bursts of twice this rate.';
  COMMENT ON COLUMN api_keys.events_per_second IS 'Null: the default rate. Each process allows bursts of twice this rate.';

  CREATE TABLE credential_changes (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    version bigint NOT NULL
  );
  COMMENT ON TABLE credential_changes IS 'The version grows with every revocation; processes that cache credentials watch it.';
  INSERT INTO credential_changes (version) VALUES (0);

  CREATE TABLE clients (
    client_id text PRIMARY KEY,
    name text,
    network_ids bigint[] NOT NULL CHECK (cardinality(network_ids) > 0),
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
  );
  COMMENT ON TABLE clients IS 'Partners that obtain access tokens with the client credentials grant.';
  COMMENT ON COLUMN clients.network_ids IS 'In the order of the claim; the first is the default of a request.';

  CREATE TABLE client_secrets (
    hash bytea PRIMARY KEY CHECK (length(hash) = 32),
    client_id text NOT NULL REFERENCES clients,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz
  );
  CREATE INDEX client_secrets_by_client ON client_secrets (client_id);
  COMMENT ON TABLE client_secrets IS 'Secrets of clients; stores the SHA-256 of a secret, never the secret.';
  COMMENT ON COLUMN client_secrets.expires_at IS 'Set when a newer secret replaces this one; both are valid until then.';

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
  COMMENT ON TABLE signing_keys IS 'Keys of the built-in identity provider; readable by the services'' account only.';
  COMMENT ON COLUMN signing_keys.private_jwk IS 'Only the current key has one.';
  COMMENT ON COLUMN signing_keys.public_until IS 'Null for the current key; otherwise when the last token signed with this key expires.';

  CREATE TABLE ended_sessions (
    id text PRIMARY KEY,
    until timestamptz NOT NULL
  );
  COMMENT ON TABLE ended_sessions IS 'Console sessions that an operator signed out of; their signed cookies would otherwise stay valid until they expire.';
  COMMENT ON COLUMN ended_sessions.until IS 'When the session expires by itself; after that the row is not needed.';

  CREATE SEQUENCE analyst_changes;
  CREATE TABLE analysts (
    name text PRIMARY KEY,
    network_ids bigint[],
    password_sha256 bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz,
    version bigint NOT NULL DEFAULT nextval('analyst_changes')
  );
  COMMENT ON TABLE analysts IS 'Accounts that may query ClickHouse in SQL, and their networks. A name is never reused: a ClickHouse that reads its users at start accepts the former password of a revoked account until it restarts.';
  COMMENT ON COLUMN analysts.network_ids IS 'Null: all networks.';
  COMMENT ON COLUMN analysts.password_sha256 IS 'As ClickHouse stores it; the password is random and long.';
  COMMENT ON COLUMN analysts.version IS 'Grows with every change of any analyst; ClickHouse keeps the highest.';
`;

const requests = `
  CREATE TABLE idempotency_keys (
    credential text NOT NULL,
    route text NOT NULL,
    key text NOT NULL,
    body_hash bytea NOT NULL CHECK (length(body_hash) = 32),
    stream text,
    received_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    attempt int NOT NULL DEFAULT 1,
    tried_at timestamptz NOT NULL DEFAULT now(),
    previous_attempt_at timestamptz,
    running_until timestamptz,
    status int,
    response text,
    PRIMARY KEY (credential, route, key)
  );
  CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
  COMMENT ON TABLE idempotency_keys IS 'Requests that a client may retry, kept for 24 hours.';
  COMMENT ON COLUMN idempotency_keys.stream IS 'Stream that the first attempt appends to; a retry on another day appends there too. Null: the request has no such stream.';
  COMMENT ON COLUMN idempotency_keys.attempt IS 'Grows when another request takes over an unfinished one.';
  COMMENT ON COLUMN idempotency_keys.tried_at IS 'When the current attempt last reported that it runs.';
  COMMENT ON COLUMN idempotency_keys.previous_attempt_at IS 'The same of the attempt before it; what that attempt appended is in the log by then.';
  COMMENT ON COLUMN idempotency_keys.running_until IS 'Until then the attempt counts as running; null once it has responded or given up.';
  COMMENT ON COLUMN idempotency_keys.response IS 'JSON of the response; null until it is known.';

  CREATE TABLE bus_messages (
    consumer text NOT NULL,
    position bigint NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    stream text NOT NULL,
    data json NOT NULL,
    metadata json NOT NULL,
    deliveries int NOT NULL DEFAULT 0,
    due_at timestamptz NOT NULL,
    dead_at timestamptz,
    PRIMARY KEY (consumer, position)
  );
  CREATE INDEX bus_messages_due ON bus_messages (consumer, due_at, position) WHERE dead_at IS NULL;
  COMMENT ON TABLE bus_messages IS 'Events of the log that a consumer of the message bus has not acknowledged.';
  COMMENT ON COLUMN bus_messages.due_at IS 'Not delivered before this time.';
  COMMENT ON COLUMN bus_messages.dead_at IS 'When the message became a dead letter after too many deliveries; it is not delivered again.';

  CREATE TABLE intake_minutes (
    minute timestamptz NOT NULL,
    process text NOT NULL,
    outcome text NOT NULL,
    events bigint NOT NULL,
    requests bigint NOT NULL,
    PRIMARY KEY (minute, process, outcome)
  );
  COMMENT ON TABLE intake_minutes IS 'Events and requests received in each minute, as each intake process reports them; kept for two days.';
  COMMENT ON COLUMN intake_minutes.process IS 'One run of a process; its later report of a minute replaces the earlier one.';
  COMMENT ON COLUMN intake_minutes.outcome IS 'accepted, or the error code of the refusal.';
`;

const projections = `
  CREATE TABLE read_models (
    projection text PRIMARY KEY,
    live_generation int NOT NULL,
    switched_at timestamptz NOT NULL DEFAULT now(),
    paused_at timestamptz
  );
  COMMENT ON TABLE read_models IS 'Which generation of a projection readers see.';
  COMMENT ON COLUMN read_models.paused_at IS 'When an operator paused the projection; null while it runs.';

  CREATE TABLE leases (
    projection text NOT NULL,
    generation int NOT NULL,
    owner text NOT NULL,
    epoch bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (projection, generation)
  );
  COMMENT ON TABLE leases IS 'Which process may write a generation of a projection; the epoch grows with every owner.';

  CREATE TABLE checkpoints (
    projection text NOT NULL,
    generation int NOT NULL,
    position bigint NOT NULL,
    begun bigint NOT NULL DEFAULT 0,
    log_id text NOT NULL,
    epoch bigint NOT NULL DEFAULT 0,
    saved_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (projection, generation)
  );
  COMMENT ON TABLE checkpoints IS 'The last event each generation has handled, and of which log.';
  COMMENT ON COLUMN checkpoints.begun IS 'Last position of the batch that is being written; where it is above position, the batch may be written in part.';

  CREATE TABLE parked_events (
    projection text NOT NULL,
    generation int NOT NULL,
    position bigint NOT NULL,
    stream text NOT NULL,
    type text NOT NULL,
    error text NOT NULL,
    raw text NOT NULL,
    parked_at timestamptz NOT NULL DEFAULT now(),
    state text NOT NULL DEFAULT 'parked' CHECK (state IN ('parked', 'discarded')),
    attempts int NOT NULL DEFAULT 1,
    tried_at timestamptz NOT NULL DEFAULT now(),
    behind bigint,
    decision_requested_at timestamptz,
    reason text,
    PRIMARY KEY (projection, generation, position)
  );
  CREATE INDEX parked_events_undecided ON parked_events (projection, position)
    WHERE state = 'parked' AND decision_requested_at IS NULL;
  COMMENT ON TABLE parked_events IS 'Events that a projection could not fold and skipped, so that it can go on with the rest.';
  COMMENT ON COLUMN parked_events.attempts IS 'How often the projection tried to fold it; 0 for an event that only waits for an earlier one of its stream.';
  COMMENT ON COLUMN parked_events.behind IS 'Position of the parked event of the same stream that has to be folded first, where the order matters.';
  COMMENT ON COLUMN parked_events.decision_requested_at IS 'When an operator requested a retry or a discard that is not carried out yet.';
  COMMENT ON COLUMN parked_events.reason IS 'Why an operator discarded it.';

  CREATE TABLE liveness (
    kind text NOT NULL,
    id bigint NOT NULL,
    network bigint NOT NULL,
    status text NOT NULL,
    since timestamptz NOT NULL,
    last_received_at timestamptz NOT NULL,
    revision bigint NOT NULL,
    PRIMARY KEY (kind, id)
  ) WITH (fillfactor = 70);
  COMMENT ON TABLE liveness IS 'Online or offline, of each device and feeder that has sent a heartbeat, as far as the liveness monitor has read the log.';
  COMMENT ON COLUMN liveness.last_received_at IS 'When the service received the latest heartbeat that counted.';
  COMMENT ON COLUMN liveness.revision IS 'Revision of the last change in the stream liveness-{kind}.{id} that the monitor knows.';

  CREATE TABLE projection_status (
    projection text NOT NULL,
    generation int NOT NULL,
    state text NOT NULL,
    error text,
    owner text NOT NULL,
    as_of timestamptz,
    reported_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (projection, generation)
  );
  COMMENT ON TABLE projection_status IS 'State of each generation, as the process that writes it reports every few seconds.';
  COMMENT ON COLUMN projection_status.as_of IS 'When the newest projected event was appended.';

  CREATE TABLE projection_minutes (
    minute timestamptz PRIMARY KEY,
    lag_events bigint NOT NULL,
    freshness_ms bigint,
    sampled_at timestamptz NOT NULL DEFAULT now()
  );
  COMMENT ON TABLE projection_minutes IS 'The largest lag of any live read model in each minute; kept for two days.';
  COMMENT ON COLUMN projection_minutes.freshness_ms IS 'Age of the newest event that all read models contain; null while one of them is empty.';
`;

const generations = `
  CREATE TABLE generations (
    projection text NOT NULL,
    generation int NOT NULL,
    state text NOT NULL CHECK (state IN ('building', 'live', 'kept', 'dropping')),
    version int NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    switched_at timestamptz,
    drop_after timestamptz,
    held_until timestamptz,
    held_position bigint,
    parking_stopped_at bigint,
    parking_from timestamptz,
    held_by_epoch bigint NOT NULL DEFAULT 0,
    tally jsonb,
    tallied_to bigint NOT NULL DEFAULT 0,
    incomplete_tables text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (projection, generation)
  );
  COMMENT ON TABLE generations IS 'Table sets of each projection: the one readers see, one that is being built, those kept for a rollback.';
  COMMENT ON COLUMN generations.version IS 'Version of the projection code that built it.';
  COMMENT ON COLUMN generations.switched_at IS 'When readers were last switched to it.';
  COMMENT ON COLUMN generations.drop_after IS 'When a kept generation may be dropped.';
  COMMENT ON COLUMN generations.held_until IS 'Its writer begins no batch until then: the generation is being compared, or readers are being switched.';
  COMMENT ON COLUMN generations.held_position IS 'Position at which the writer paused; null until the writer has seen the hold.';
  COMMENT ON COLUMN generations.held_by_epoch IS 'Lease epoch of the last process that held it; a process of an earlier epoch neither prolongs nor ends a hold.';
  COMMENT ON COLUMN generations.parking_stopped_at IS 'Position of the first event that was not parked because too many were parked at once; null once it is folded, or an operator resumed.';
  COMMENT ON COLUMN generations.parking_from IS 'When an operator resumed; events parked before that no longer count towards the limit.';
  COMMENT ON COLUMN generations.tally IS 'Outcomes of the events it is built of, counted by type; null: not counted from the start.';
  COMMENT ON COLUMN generations.tallied_to IS 'Position of the last counted event.';
  COMMENT ON COLUMN generations.incomplete_tables IS 'Tables that are newer than the generation; they contain nothing from before they were created.';

  CREATE TABLE replays (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    projection text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('replay', 'rollback')),
    from_generation int NOT NULL,
    to_generation int NOT NULL,
    verify boolean NOT NULL,
    state text NOT NULL CHECK (state IN
      ('planned', 'building', 'catching_up', 'verifying', 'switching', 'done', 'failed', 'cancelled')),
    position bigint NOT NULL DEFAULT 0,
    target bigint NOT NULL DEFAULT 0,
    events bigint NOT NULL DEFAULT 0,
    total bigint,
    verified boolean NOT NULL DEFAULT false,
    differences jsonb NOT NULL DEFAULT '[]',
    paused_ms int NOT NULL DEFAULT 0,
    error text,
    requested_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    cancel_requested_at timestamptz,
    ended_at timestamptz,
    step jsonb,
    accounts jsonb
  );
  CREATE UNIQUE INDEX replays_one_at_a_time ON replays (projection) WHERE ended_at IS NULL;
  COMMENT ON TABLE replays IS 'Replays and rollbacks: each switches readers to another generation of a projection, newly built or kept.';
  COMMENT ON COLUMN replays.position IS 'Position up to which the generation is built.';
  COMMENT ON COLUMN replays.target IS 'Position of the live generation when it was last read.';
  COMMENT ON COLUMN replays.events IS 'Events folded so far.';
  COMMENT ON COLUMN replays.total IS 'Estimated number of events to fold; null where it is unknown.';
  COMMENT ON COLUMN replays.paused_ms IS 'How long the live generation was paused, in total.';
  COMMENT ON COLUMN replays.error IS 'Why it failed, or the error after which it is retried.';
  COMMENT ON COLUMN replays.step IS 'Progress of the work within a state that is not folding; null: none.';
  COMMENT ON COLUMN replays.accounts IS 'Events of the log by type, compared with the outcomes that the generation counted; null: not compared.';
`;

export const baseline = {
  name: '0001-baseline',
  sql: [credentials, requests, projections, generations].join('\n'),
};
