/** The name of a service process that answers `/readyz`. */
export type ServiceName = 'command-api' | 'worker' | 'query-api' | 'projectors';

/**
 * Severities of a problem, in ascending order. `warning`: the service works, but will fail unless an operator acts. `failed`:
 * part of the service does not work.
 */
export const SEVERITIES = ['warning', 'failed'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const ALERT_GROUPS = {
  general: 'popsvc',
  ingestion: 'popsvc ingestion',
  projections: 'popsvc projections',
  reporting: 'popsvc reporting',
  engines: 'popsvc engines and processes',
} as const;

/** The Prometheus alert rule that detects a problem. */
export interface AlertDeclaration {
  readonly name: string;
  readonly group: keyof typeof ALERT_GROUPS;
  readonly expr: string;
  /** How long `expr` must be true before the alert fires, such as `5m`. If absent, the alert fires at once. */
  readonly for?: string;
  /**
   * `critical` pages the on-call operator. The severity of the alert may differ from that of the problem: the alert rule
   * evaluates a trend over time, but `popsvc doctor` evaluates only the current state.
   */
  readonly severity: 'critical' | 'warning';
  /** One line that says what happened. May contain Prometheus templates. */
  readonly summary: string;
  /** The metric label that names the affected subject, such as `projection`. Absent if the problem has no subject. */
  readonly subjectLabel?: string;
}

/** A problem that a check can find. */
export interface ProblemDeclaration {
  readonly severity: Severity;
  /**
   * What the operator should do. The placeholder `{subject}` is replaced by the subject of the finding. Every other placeholder
   * is replaced by the fact of the same name (see `ProblemObservation`).
   */
  readonly advice: string;
  readonly alert?: AlertDeclaration;
}

export interface CheckDeclaration {
  /** A sentence that is true if the check passes. */
  readonly about: string;
  /** Where the check is evaluated on demand. Absent for a check that only Prometheus or `/readyz` evaluates. */
  readonly evaluatedBy?: readonly ('doctor' | 'overview' | 'command line')[];
  /** The processes that evaluate the check for `/readyz`. They are not ready while the check fails. */
  readonly readiness?: readonly ServiceName[];
  /** The problems that the check can find, by code. If several of them can occur together, the most severe comes first. */
  readonly problems?: Readonly<Record<string, ProblemDeclaration>>;
}

/** Problems that every check can report: its evaluation timed out or failed. */
export const CHECK_ERRORS = {
  'check-timed-out': {
    severity: 'failed',
    advice: 'Run doctor again; if it times out again, check the load of the component.',
  },
  'check-failed': { severity: 'failed', advice: 'See the log of the projectors.' },
} as const satisfies Record<string, ProblemDeclaration>;

/** Declares the problems that can occur with a store that is reached over the network. The keys are problem codes. */
export const storeProblems = (store: string, addressVariable: string, credentialVariables = addressVariable) =>
  ({
    unreachable: {
      severity: 'failed',
      advice: `Start ${store}, or fix the connection to it; ${addressVariable} holds its address (embedded: restart the service).`,
    },
    credentials: {
      severity: 'failed',
      advice: `Check ${credentialVariables} of the projectors: user and password must be those of the server.`,
    },
    'database-missing': {
      severity: 'failed',
      advice: `Check the database in ${addressVariable}; a restored server may lack it.`,
    },
    timeout: { severity: 'failed', advice: `Check the load and the disk of ${store}: it runs, but is too slow.` },
    'disk-full': {
      severity: 'failed',
      advice: `Free space on the disk of ${store}. No accepted event is lost, and the service continues by itself.`,
    },
    error: { severity: 'failed', advice: `See the log of ${store}.` },
  }) as const satisfies Record<string, ProblemDeclaration>;

/** What to do if a server is not of the shard as which CLICKHOUSE_URL lists it. */
export const wrongShardAdvice =
  'Nothing is written to this server or read from it. Correct CLICKHOUSE_URL of the projectors and of query-api, and restart them: all shards in the order of their first start, separated by semicolons, and only replicas of the same shard separated by commas.';
