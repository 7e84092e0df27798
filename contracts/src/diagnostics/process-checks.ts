import type { CheckDeclaration } from './check-declaration.ts';

/** Checks of the processes and their hosts: clocks, disk, memory, event loop, signing key. */
export const processChecks = {
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
  'sealed-secrets': {
    about: 'The encryption key of the projectors opens the secrets that PostgreSQL stores.',
    evaluatedBy: ['doctor'],
    problems: {
      'signing-key': {
        severity: 'failed',
        advice:
          'No access tokens are issued; earlier ones are valid until they expire. Set POPSVC_ENCRYPTION_KEY of projectors and query-api to the key that encrypted the secret (on one machine: encryptionKey in DATA_DIR/secrets.json), and restart them. If it is lost, or the secret is damaged: popsvc signing-keys rotate.',
      },
      webhooks: {
        severity: 'failed',
        advice:
          'Notices to these subscriptions wait. Set POPSVC_ENCRYPTION_KEY of projectors and query-api to the key that encrypted the secrets (on one machine: encryptionKey in DATA_DIR/secrets.json), and restart them. If it is lost, or a secret is damaged: popsvc webhooks rotate ID --overlap 0 for each subscription, and give its receiver the new secret.',
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
