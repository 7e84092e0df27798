/** A process of the service that answers `/readyz`. */
export type ServiceName = 'command-api' | 'worker' | 'query-api' | 'projectors';

/** `warning`: it works, but will fail if nothing changes; `failed`: something does not work. In ascending order. */
export const SEVERITIES = ['warning', 'failed'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const ALERT_GROUPS = {
  general: 'popsvc',
  ingestion: 'popsvc ingestion',
  projections: 'popsvc projections',
  reporting: 'popsvc reporting',
  engines: 'popsvc engines and processes',
} as const;

/** The Prometheus rule that detects a problem. */
export interface AlertDeclaration {
  readonly name: string;
  readonly group: keyof typeof ALERT_GROUPS;
  readonly expr: string;
  /** How long the expression must hold, such as `5m`; absent: not at all. */
  readonly for?: string;
  /**
   * `critical` wakes someone up. It differs from the severity of the problem where the rule's threshold or duration does: a rule
   * sees a trend, `popsvc doctor` a moment.
   */
  readonly severity: 'critical' | 'warning';
  /** One line; a Prometheus template. */
  readonly summary: string;
  /** The label that names the subject of the problem. */
  readonly subjectLabel?: string;
}

/** A problem that a check can find. */
export interface ProblemDeclaration {
  readonly severity: Severity;
  /** What to do. `{subject}` is replaced by the subject of the finding, other `{names}` by facts that the evaluation supplies. */
  readonly advice: string;
  readonly alert?: AlertDeclaration;
}

export interface CheckDeclaration {
  /** What is true when the check passes. */
  readonly about: string;
  /**
   * What evaluates the check now, besides readiness. A check without any is evaluated only by Prometheus, or only by readiness.
   */
  readonly evaluatedBy?: readonly ('doctor' | 'overview' | 'command line')[];
  /** The services that are not ready while the check fails. */
  readonly readiness?: readonly ServiceName[];
  /** By code, the most severe first where several can hold at once. */
  readonly problems?: Readonly<Record<string, ProblemDeclaration>>;
}

/** Problems of every check: the evaluation itself did not succeed. */
export const CHECK_ERRORS = {
  'check-timed-out': {
    severity: 'failed',
    advice: 'Run doctor again; if it times out again, check the load of the component.',
  },
  'check-failed': { severity: 'failed', advice: 'See the log of the projectors.' },
} as const satisfies Record<string, ProblemDeclaration>;

/** The problems of a store that is reached over the network, by kind of failure. */
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
