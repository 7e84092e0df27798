import type { CheckDeclaration } from './check-declaration.ts';

/** Checks of ingestion: requests, bulk jobs, quarantined events, devices. */
export const ingestionChecks = {
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
  webhooks: {
    about: 'Notices are delivered to their subscribers.',
    evaluatedBy: ['doctor'],
    problems: {
      'dead-letters': {
        severity: 'warning',
        advice:
          'popsvc webhooks list shows the subscriptions, popsvc webhooks deliveries ID --state dead why theirs failed. Ask the subscriber, then post them again with popsvc webhooks redeliver ID. They are deleted after 30 days.',
        alert: {
          name: 'WebhookDeadLetters',
          group: 'general',
          expr: 'max(popsvc_webhook_deliveries{state="dead"}) > max(popsvc_webhook_deliveries{state="dead"} offset 1h)',
          severity: 'warning',
          summary: '{{ $value }} notices were not delivered in all attempts; the number grew within an hour',
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
          expr: 'sum(max by (shard) (delta(popsvc_quarantine_events[1h]))) > 100',
          for: '10m',
          severity: 'warning',
          summary: '{{ $value }} more events wait for a mapping or a screen than an hour ago',
        },
      },
    },
  },
  'unknown-references': {
    about: 'The registry contains all ids in plays of the last 24 hours.',
    evaluatedBy: ['doctor'],
    problems: {
      found: {
        severity: 'warning',
        advice:
          'popsvc events unknown-references lists them. Add them to the registry, or ask the vendor to correct them; the plays are stored and need not be sent again.',
      },
    },
  },
  devices: {
    about: 'Few devices and feeders are offline at the same time.',
    evaluatedBy: ['doctor', 'overview'],
    problems: {
      'dark-network': {
        severity: 'warning',
        advice:
          'popsvc outages list --network ID --open lists them; a site or a time in common points to the cause. DARK_DEVICES_PERCENT sets the share.',
        alert: {
          name: 'DarkNetwork',
          group: 'ingestion',
          expr: 'max(popsvc_fleet_problems{problem="dark-network"}) > 0',
          for: '10m',
          severity: 'warning',
          summary: '{{ $value }} networks have many devices that are offline in opening hours',
        },
      },
      'dark-site': {
        severity: 'warning',
        advice:
          'Check the power and the network connection of the site; popsvc outages list --site ID --open lists its devices.',
        alert: {
          name: 'DarkSite',
          group: 'ingestion',
          expr: 'max(popsvc_fleet_problems{problem="dark-site"}) > 0',
          for: '10m',
          severity: 'warning',
          summary: '{{ $value }} sites have many devices that are offline in opening hours',
        },
      },
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
  flow: {
    about: 'Each network sends data in opening hours, and so does each vendor that sent plays in the last week.',
    evaluatedBy: ['doctor', 'overview'],
    problems: {
      'network-silent': {
        severity: 'warning',
        advice:
          'Check whether requests of the network arrive at command-api, and with which status it answers them. VENDOR_SILENT_MINUTES sets the time.',
        alert: {
          name: 'NetworkSilent',
          group: 'ingestion',
          expr: 'max(popsvc_fleet_problems{problem="network-silent"}) > 0',
          for: '10m',
          severity: 'warning',
          summary: '{{ $value }} networks sent nothing in opening hours',
        },
      },
      'vendor-silent': {
        severity: 'warning',
        advice:
          'Ask the vendor; popsvc events balance --vendor CODE shows what it sent. Retire a vendor that no longer sends. VENDOR_SILENT_MINUTES sets the time.',
        alert: {
          name: 'VendorSilent',
          group: 'ingestion',
          expr: 'max(popsvc_fleet_problems{problem="vendor-silent"}) > 0',
          for: '10m',
          severity: 'warning',
          summary: '{{ $value }} vendors that sent plays in the last week sent none in opening hours',
        },
      },
    },
  },
} as const satisfies Record<string, CheckDeclaration>;
