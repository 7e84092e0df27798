import { type CHECK_ERRORS, type CheckDeclaration, type ServiceName, storeProblems } from './check-declaration.ts';

/**
 * Every check of the service: what `popsvc doctor`, the overview, `/readyz` and the alerts of Prometheus can find wrong, and what to
 * do about it. A check has the same name in all of them: `check` of a finding, the name in `/readyz`, the label `check` of an alert.
 *
 * This file declares; it evaluates nothing. `ops-api/src/diagnostics` evaluates what the doctor and the overview report, from all
 * stores. Each service evaluates the checks of its own readiness with what it can reach (`ReadinessChecks`): query-api cannot see the
 * projectors, so it checks the schema they create, and no service checks another one. `deploy/prometheus/alerts.yml` holds the rules
 * of `alertRuleGroups`.
 */
export const CHECKS = {
  service: {
    about: 'Each process of the service answers and is ready.',
    evaluatedBy: ['doctor', 'overview', 'command line'],
    problems: {
      down: {
        severity: 'failed',
        advice: 'Start the process. If it ended by itself, the end of its log shows why.',
        alert: {
          name: 'ServiceDown',
          group: 'general',
          expr: 'up{job="popsvc"} == 0 or absent(up{job="popsvc"})',
          for: '1m',
          severity: 'critical',
          summary:
            '{{ with $labels.instance }}{{ . }} does not answer{{ else }}Prometheus finds no process of the service{{ end }}',
        },
      },
      'not-answering': { severity: 'failed', advice: 'Start it, or set {variable} to its address.' },
      'address-unknown': { severity: 'failed', advice: 'Set POPSVC_OPS_URL, for example to http://localhost:8082.' },
      'wrong-server': {
        severity: 'failed',
        advice: 'Set POPSVC_OPS_URL to the operations server (port 8082), of the same version as this command line.',
      },
      'token-rejected': {
        severity: 'failed',
        advice: 'Set POPSVC_OPERATOR_TOKEN to the token that the projectors were started with.',
      },
      'request-failed': { severity: 'failed', advice: 'See the log of the projectors.' },
      'not-ready': {
        severity: 'failed',
        advice:
          'Fix the checks that it lists. `objects` are uploaded files: DATA_DIR or the S3_ variables of that process; for stores see the other findings.',
      },
      'not-reporting': { severity: 'failed', advice: 'Start it, or check that it reaches PostgreSQL.' },
    },
  },
  'event-store': {
    about: 'The event store answers.',
    evaluatedBy: ['doctor', 'overview', 'command line'],
    readiness: ['command-api', 'worker', 'projectors'],
    problems: storeProblems('the event store', 'EVENTSTORE_URL'),
  },
  clickhouse: {
    about: 'ClickHouse answers.',
    evaluatedBy: ['doctor', 'overview', 'command line'],
    readiness: ['query-api', 'projectors'],
    problems: storeProblems('ClickHouse', 'CLICKHOUSE_URL', 'CLICKHOUSE_USER and CLICKHOUSE_PASSWORD'),
  },
  postgresql: {
    about: 'PostgreSQL answers and accepts writes.',
    evaluatedBy: ['doctor', 'overview', 'command line'],
    readiness: ['command-api', 'worker', 'query-api', 'projectors'],
    problems: storeProblems('PostgreSQL', 'DATABASE_URL'),
  },
  objects: {
    about: 'The store of uploaded files answers.',
    readiness: ['command-api', 'worker'],
  },
  registry: {
    about: 'The process has read the registry from the log.',
    readiness: ['command-api', 'worker'],
  },
  nats: {
    about: 'NATS, if NATS_URL is set, answers and has the streams of the service. Without it no event is lost.',
    evaluatedBy: ['doctor'],
    problems: {
      'no-jetstream': {
        severity: 'failed',
        advice: 'Start it with --jetstream and a --store_dir, or allow JetStream for the account.',
      },
      credentials: { severity: 'failed', advice: 'Check user and password in NATS_URL.' },
      unreachable: {
        severity: 'failed',
        advice:
          'Start nats-server, or fix the connection to it (NATS_URL). Until then the log starts bulk jobs, and nothing is lost.',
      },
      'streams-missing': {
        severity: 'warning',
        advice: 'The relay creates them with the next event; if it does not, restart the projectors.',
      },
    },
  },
  'bus-messages': {
    about: 'No consumer of the message bus gave up a message.',
    problems: {
      'given-up': {
        severity: 'warning',
        advice: 'The log of the consumer shows the error; a failed bulk job keeps its reason.',
        alert: {
          name: 'MessagesGivenUp',
          group: 'ingestion',
          expr: 'sum by (consumer) (increase(popsvc_bus_dead_total[1h])) > 0',
          severity: 'warning',
          summary: '{{ $labels.consumer }} gave up messages of the bus',
        },
      },
    },
  },

  intake: {
    about: 'Events arrive as on other days at this time.',
    problems: {
      silent: {
        severity: 'failed',
        advice: 'Check whether requests arrive at command-api, and with which status it answers them.',
        alert: {
          name: 'NothingAccepted',
          group: 'ingestion',
          expr: `sum(rate(popsvc_intake_events_accepted_total[15m])) == 0
  and sum(rate(popsvc_intake_events_accepted_total[15m] offset 1d)) > 0
  and (
    sum(rate(popsvc_intake_events_accepted_total[15m] offset 1w)) > 0
    or absent(sum(rate(popsvc_intake_events_accepted_total[15m] offset 1w)))
  )
`,
          for: '15m',
          severity: 'critical',
          summary: 'No event was accepted for half an hour, and at this time of other days there were some',
        },
      },
    },
  },
  refusals: {
    about: 'Few of the received events are refused.',
    evaluatedBy: ['overview'],
    problems: {
      'bulk-rows': {
        severity: 'warning',
        advice: 'popsvc jobs list shows the bulk jobs, popsvc jobs errors JOB_ID their refused rows.',
      },
      many: {
        severity: 'warning',
        advice: 'The log of command-api names request, key and reason; the response named them to the vendor.',
        alert: {
          name: 'ManyRefusals',
          group: 'ingestion',
          expr: `sum(rate(popsvc_http_refusals_total{service="command-api",code!~"UNAVAILABLE|NOT_FOUND|INTERNAL"}[10m]))
  / sum(rate(popsvc_http_requests_total{service="command-api",method="POST"}[10m])) > 0.1
`,
          for: '10m',
          severity: 'warning',
          summary: '{{ $value | humanizePercentage }} of what vendors push is refused',
        },
      },
    },
  },
  'append-latency': {
    about: 'The event store appends within a second (p99).',
    problems: {
      high: {
        severity: 'warning',
        advice: 'Check the disk and the load of the event store.',
        alert: {
          name: 'AppendsSlow',
          group: 'ingestion',
          expr: 'histogram_quantile(0.99, sum by (le) (rate(popsvc_append_seconds_bucket[5m]))) > 1',
          for: '10m',
          severity: 'warning',
          summary: 'The event store takes {{ $value | humanizeDuration }} for an append (p99)',
        },
      },
    },
  },
  'bulk-jobs': {
    about: 'Bulk jobs make progress, and none failed in the last 24 hours.',
    evaluatedBy: ['doctor', 'overview'],
    problems: {
      stuck: {
        severity: 'warning',
        advice: 'Check that a worker runs and is ready; popsvc jobs list shows the jobs.',
        alert: {
          name: 'BulkJobsWait',
          group: 'ingestion',
          expr: `max(popsvc_bulk_jobs{status="queued"}) > 0
  and on () (sum(popsvc_bulk_jobs_at_work) or vector(0)) == 0
`,
          for: '15m',
          severity: 'warning',
          summary: '{{ $value }} bulk jobs wait and no worker processes them',
        },
      },
      failed: {
        severity: 'warning',
        advice:
          'popsvc jobs list --status failed lists them, popsvc jobs show JOB_ID shows why; the vendor sends the file again once it is corrected.',
      },
    },
  },
  quarantine: {
    about: 'No event was quarantined in the last hour.',
    evaluatedBy: ['doctor', 'overview'],
    problems: {
      growing: {
        severity: 'warning',
        advice:
          'popsvc events quarantine shows why; a suitable mapping, or the screen in the registry, releases the events.',
        alert: {
          name: 'QuarantineGrowing',
          group: 'projections',
          expr: 'max(delta(popsvc_quarantine_events[1h])) > 100',
          for: '10m',
          severity: 'warning',
          summary: '{{ $value }} more events wait for a mapping or a screen than an hour ago',
        },
      },
    },
  },
  devices: {
    about: 'Few devices and feeders go offline at the same time.',
    problems: {
      'many-offline': {
        severity: 'warning',
        advice: 'popsvc outages list --open lists them; one network or site in common points to its connection.',
        alert: {
          name: 'ManyDevicesOffline',
          group: 'projections',
          expr: 'sum(increase(popsvc_liveness_changes_total{status="offline"}[10m])) > 200',
          severity: 'warning',
          summary: '{{ $value | humanize }} devices and feeders went offline within ten minutes',
        },
      },
    },
  },

  freshness: {
    about: 'Every read model contains what was accepted more than a minute ago.',
    problems: {
      stale: {
        severity: 'failed',
        advice: 'popsvc projections list shows which projection does not keep up, and its error.',
        alert: {
          name: 'ReportsOutOfDate',
          group: 'projections',
          expr: `(
  min by (projection) (popsvc_freshness_seconds) > 60
    unless on (projection) max by (projection) (popsvc_projection_paused) > 0
) or absent(popsvc_freshness_seconds)
`,
          for: '5m',
          severity: 'critical',
          summary:
            '{{ with $labels.projection }}{{ . }} lacks events that were accepted more than a minute ago{{ else }}No process reports the age of reports{{ end }}',
        },
      },
    },
  },
  projection: {
    about: 'Each projection runs, keeps up with the log, and has no parked events.',
    evaluatedBy: ['doctor', 'overview'],
    readiness: ['projectors'],
    problems: {
      parked: {
        severity: 'failed',
        advice:
          'popsvc events parked list shows them and their errors; retry them after the fix (popsvc events parked retry), or discard them.',
        alert: {
          name: 'EventsParked',
          group: 'projections',
          expr: 'max by (projection) (popsvc_parked_events) > 0',
          for: '1m',
          severity: 'warning',
          summary: '{{ $value }} events of {{ $labels.projection }} are parked',
          subjectLabel: 'projection',
        },
      },
      stopped: {
        severity: 'failed',
        advice: 'Start a projectors process; if one runs, check its PROJECTIONS and its log.',
      },
      failing: {
        severity: 'failed',
        advice: 'It retries automatically; fix what the error names. See the log of the projectors.',
        alert: {
          name: 'ProjectionFailing',
          group: 'projections',
          expr: 'max by (projection, generation) (popsvc_projection_running) == 0',
          for: '2m',
          severity: 'critical',
          summary: '{{ $labels.projection }} (generation {{ $labels.generation }}) fails and retries',
          subjectLabel: 'projection',
        },
      },
      'rebuild-needed': { severity: 'failed', advice: 'popsvc projections replay {subject} rebuilds it.' },
      'far-behind': {
        severity: 'failed',
        advice:
          'Check the load of ClickHouse and of the projectors: reports are this old. Lag that grows for hours needs more CPU.',
      },
      lagging: {
        severity: 'warning',
        advice: 'It should catch up by itself. If it does not, check the load of ClickHouse and of the projectors.',
        alert: {
          name: 'ProjectionLagging',
          group: 'projections',
          expr: 'max by (projection, generation) (popsvc_projection_lag_seconds) > 60',
          for: '10m',
          severity: 'warning',
          summary: '{{ $labels.projection }} is {{ $value | humanizeDuration }} behind',
          subjectLabel: 'projection',
        },
      },
      paused: {
        severity: 'warning',
        advice: 'popsvc projections resume {subject} resumes it.',
        alert: {
          name: 'ProjectionPaused',
          group: 'projections',
          expr: 'max by (projection) (popsvc_projection_paused) > 0',
          for: '1h',
          severity: 'warning',
          summary: '{{ $labels.projection }} has been paused for an hour',
          subjectLabel: 'projection',
        },
      },
      'tables-missing': {
        severity: 'warning',
        advice:
          'It is built automatically, and again after a while if that fails: popsvc projections watch {subject} shows its progress, popsvc projections replay {subject} starts it at once.',
      },
      outdated: {
        severity: 'warning',
        advice:
          'popsvc projections replay {subject} builds a new generation with this version, alongside the live one.',
      },
    },
  },
  generations: {
    about: 'ClickHouse has no tables of unknown generations, and replays make progress.',
    evaluatedBy: ['doctor'],
    problems: {
      'unknown-tables': {
        severity: 'warning',
        advice:
          'PostgreSQL was restored to a time before they were created, or a process was killed during a comparison. In ClickHouse: {statements}',
      },
      'replay-retrying': {
        severity: 'warning',
        advice:
          'It continues automatically once the cause is fixed; popsvc projections watch NAME shows its progress, cancel NAME cancels it.',
      },
      'replay-stuck': {
        severity: 'warning',
        advice: 'popsvc projections watch {subject} shows its last error; cancelling it is safe.',
        alert: {
          name: 'ReplayStuck',
          group: 'projections',
          expr: `max by (projection) (popsvc_replay_running) == 1
  and max by (projection) (abs(delta(popsvc_replay_progress_ratio[30m]))) == 0
`,
          for: '15m',
          severity: 'warning',
          summary: 'The replay of {{ $labels.projection }} makes no progress',
          subjectLabel: 'projection',
        },
      },
    },
  },

  'internal-errors': {
    about: 'No request fails because of a defect of the service.',
    problems: {
      some: {
        severity: 'warning',
        advice: 'The log of the process has the error at level error, with the request id.',
        alert: {
          name: 'InternalErrors',
          group: 'general',
          expr: 'sum by (service, route) (increase(popsvc_http_refusals_total{code="INTERNAL"}[10m])) > 0',
          severity: 'warning',
          summary: '{{ $labels.service }} answered {{ $labels.route }} with 500',
        },
      },
    },
  },
  'unavailable-responses': {
    about: 'Less than one percent of the requests are answered with 503.',
    problems: {
      many: {
        severity: 'failed',
        advice: 'popsvc doctor shows the store that does not answer; if all answer, the service is overloaded.',
        alert: {
          name: 'AnsweringUnavailable',
          group: 'general',
          expr: `sum by (service) (rate(popsvc_http_refusals_total{code="UNAVAILABLE",route!="/readyz"}[5m]))
  / sum by (service) (rate(popsvc_http_requests_total[5m])) > 0.01
`,
          for: '5m',
          severity: 'critical',
          summary: '{{ $labels.service }} answers {{ $value | humanizePercentage }} of its requests with 503',
        },
      },
    },
  },
  'report-latency': {
    about: 'Report pages take less than five seconds (p95).',
    problems: {
      high: {
        severity: 'warning',
        advice:
          'Check the CPU of ClickHouse and its other queries; if its queries are fast, the event loop of query-api.',
        alert: {
          name: 'ReportsSlow',
          group: 'reporting',
          expr: `histogram_quantile(0.95, sum by (le, route) (rate(popsvc_http_request_seconds_bucket{
  service="query-api",method="GET",route=~"/api/v1/.*",route!~".*/download"}[10m]))) > 5
`,
          for: '10m',
          severity: 'warning',
          summary: '{{ $labels.route }} takes {{ $value | humanizeDuration }} (p95)',
        },
      },
    },
  },
  downloads: {
    about: 'The service ends no response before it is complete.',
    problems: {
      cut: {
        severity: 'warning',
        advice: 'The log of query-api shows why: ClickHouse restarted or lacked memory, or the reader was too slow.',
        alert: {
          name: 'DownloadsCut',
          group: 'reporting',
          expr: 'sum by (route) (increase(popsvc_http_answers_cut_total[15m])) > 0',
          severity: 'warning',
          summary: '{{ $labels.route }}: the service ended responses before they were complete',
        },
      },
    },
  },

  migrations: {
    about: 'The tables of PostgreSQL are those of this build.',
    evaluatedBy: ['doctor'],
    problems: {
      missing: {
        severity: 'failed',
        advice:
          'Restart a service: each migrates the tables when it starts. If a service has run before, the database is a restored older copy, which is safe.',
      },
      newer: {
        severity: 'warning',
        advice: 'Run that build everywhere, or restore the copy of the database from before the upgrade.',
      },
    },
  },
  schema: {
    about: 'Tables, views and dictionaries in ClickHouse are those of this build.',
    evaluatedBy: ['doctor'],
    readiness: ['query-api'],
    problems: {
      drift: {
        severity: 'failed',
        advice:
          'Restart the projectors: they create missing tables, views and dictionaries. Differences were made by hand: revert them, or rebuild with popsvc projections replay NAME.',
      },
    },
  },
  'clickhouse-settings': {
    about: 'ClickHouse accepts the settings that every write relies on.',
    evaluatedBy: ['doctor'],
    problems: {
      rejected: {
        severity: 'failed',
        advice:
          'Remove what pins or forbids them: a constraint in a profile of the writing user, or a version of the server that lacks them.',
      },
    },
  },
  'clickhouse-parts': {
    about: 'Merges in ClickHouse keep up with inserts.',
    evaluatedBy: ['doctor'],
    problems: {
      excessive: {
        severity: 'failed',
        advice:
          'Merges do not keep up: check CPU, disk and mutations (system.mutations). At 3,000 parts inserts are refused.',
      },
      many: {
        severity: 'warning',
        advice:
          'Merges do not keep up: check CPU, disk and mutations (system.mutations). At 3,000 parts inserts are refused.',
        alert: {
          name: 'TooManyParts',
          group: 'engines',
          expr: 'max(popsvc_clickhouse_partition_parts_max) > 300',
          for: '15m',
          severity: 'warning',
          summary: 'A partition in ClickHouse has {{ $value }} parts; merges do not keep up',
        },
      },
    },
  },
  'analyst-views': {
    about: 'The views of analysts read the live generations.',
    evaluatedBy: ['doctor'],
    problems: {
      outdated: {
        severity: 'warning',
        advice:
          'The projectors retry every 30 s and log the error of ClickHouse: usually a missing right to create the database of analysts, or views with SQL SECURITY DEFINER. Reports are not affected.',
      },
    },
  },
  clocks: {
    about: 'The clocks of this process and of the stores agree.',
    evaluatedBy: ['doctor', 'command line'],
    problems: {
      'far-apart': {
        severity: 'failed',
        advice: 'Synchronize all machines with one time server (chrony, systemd-timesyncd).',
      },
      apart: {
        severity: 'warning',
        advice: 'Synchronize all machines with one time server (chrony, systemd-timesyncd).',
      },
    },
  },
  disk: {
    about: 'Each disk has free space.',
    evaluatedBy: ['doctor'],
    problems: {
      full: {
        severity: 'failed',
        advice:
          'Free space or enlarge the disk. The log grows permanently; kept generations are dropped automatically.',
      },
      low: {
        severity: 'warning',
        advice:
          'Free space or enlarge the disk. The log grows permanently; kept generations are dropped automatically.',
        alert: {
          name: 'DiskNearlyFull',
          group: 'engines',
          expr: `min by (disk) (popsvc_clickhouse_disk_free_bytes / popsvc_clickhouse_disk_bytes) < 0.15
  or (
    min by (disk) (predict_linear(popsvc_clickhouse_disk_free_bytes[6h], 4 * 86400)) < 0
      and min by (disk) (popsvc_clickhouse_disk_free_bytes / popsvc_clickhouse_disk_bytes) < 0.4
  )
`,
          for: '30m',
          severity: 'critical',
          summary: 'Disk {{ $labels.disk }} of ClickHouse is nearly full, or will be within four days',
          subjectLabel: 'disk',
        },
      },
      unreadable: { severity: 'failed', advice: 'DATA_DIR must be a folder that the projectors can read.' },
    },
  },
  'signing-key': {
    about: 'The key that signs access tokens is rotated in time.',
    evaluatedBy: ['doctor'],
    problems: {
      old: {
        severity: 'warning',
        advice: 'popsvc signing-keys rotate replaces it; it is also replaced when the next token is requested.',
      },
    },
  },
  'event-loop': {
    about: 'The timers of each process are less than half a second late.',
    problems: {
      busy: {
        severity: 'warning',
        advice: 'Add a process of that service.',
        alert: {
          name: 'EventLoopBusy',
          group: 'engines',
          expr: 'nodejs_eventloop_lag_p99_seconds{job="popsvc"} > 0.5',
          for: '10m',
          severity: 'warning',
          summary: '{{ $labels.service }} at {{ $labels.instance }} needs more than one core',
        },
      },
    },
  },
  memory: {
    about: 'Each process uses less than 1.5 GB of memory.',
    problems: {
      high: {
        severity: 'warning',
        advice: 'Restart the process; no data is lost. Report the problem, with a heap snapshot if possible.',
        alert: {
          name: 'MemoryHigh',
          group: 'engines',
          expr: 'process_resident_memory_bytes{job="popsvc"} > 1.5e9',
          for: '15m',
          severity: 'warning',
          summary: '{{ $labels.service }} at {{ $labels.instance }} uses {{ $value | humanize1024 }}B',
        },
      },
    },
  },
} as const satisfies Record<string, CheckDeclaration>;

export type CheckName = keyof typeof CHECKS;

export const checkNames = Object.keys(CHECKS) as CheckName[];

/** The codes of the problems that a check can find. */
export type ProblemCode<Check extends CheckName> =
  | keyof typeof CHECK_ERRORS
  | ((typeof CHECKS)[Check] extends { readonly problems: infer Problems } ? keyof Problems & string : never);

type ReadinessCheckName<Service extends ServiceName> = {
  [Check in CheckName]: (typeof CHECKS)[Check] extends { readonly readiness: readonly (infer Ready)[] }
    ? Service extends Ready
      ? Check
      : never
    : never;
}[CheckName];

/** The readiness checks of a service: exactly those that declare it. Each rejects while the service is not ready. */
export type ReadinessChecks<Service extends ServiceName> = Readonly<
  Record<ReadinessCheckName<Service>, () => Promise<unknown>>
>;
