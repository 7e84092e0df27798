import type { CheckDeclaration } from './check-declaration.ts';

/** Checks of the projections and their replays. */
export const projectionChecks = {
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
  shares: {
    about: 'No network waits for the derivation of its rows.',
    evaluatedBy: ['doctor'],
    problems: {
      waiting: {
        severity: 'warning',
        advice:
          'The network has used its rows of this UTC day; its facts are stored, and its rows follow on the next day. Raise DERIVED_ROWS_PER_DAY of the projectors if the rows are wanted, and ask the vendor if they are not.',
        alert: {
          name: 'DerivedRowBudgetExhausted',
          group: 'projections',
          expr: 'max(popsvc_derived_row_budgets_exhausted) > 0',
          for: '1m',
          severity: 'warning',
          summary: '{{ $value }} networks have used their derived rows of this day',
        },
      },
      behind: {
        severity: 'warning',
        advice:
          'The network sends more plays and detections for the same devices and times than a batch derives; it takes turns with the others until it has caught up. Ask the vendor whether the data is real.',
        alert: {
          name: 'NetworkBehindItsShare',
          group: 'projections',
          expr: 'max by (projection) (popsvc_pending_oldest_seconds) > 600',
          for: '5m',
          severity: 'warning',
          summary: 'Networks of {{ $labels.projection }} have waited {{ $value }} s for rows that exceed their share',
          subjectLabel: 'projection',
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
        advice: 'Start a projectors process; if one runs, check its log.',
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
      'ahead-of-log': {
        severity: 'failed',
        advice:
          'No replay begins by itself, because it would delete these rows. Send the facts of the file again (popsvc import repaired FILE), then run popsvc projections replay {subject}.',
      },
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
      former: {
        severity: 'warning',
        advice:
          'If no query-api reads its databases any more, popsvc projections forget {shards} --confirm removes what PostgreSQL stores for it. Otherwise start its projectors.',
      },
      outdated: {
        severity: 'warning',
        advice:
          'popsvc projections replay {subject} builds a new generation with this version, alongside the live one.',
      },
    },
  },
  'read-models': {
    about: 'The tables in ClickHouse were verified after its last start, and none is damaged.',
    evaluatedBy: ['doctor', 'overview'],
    readiness: ['query-api'],
    problems: {
      damaged: {
        severity: 'failed',
        advice:
          'Lost rows of a report are derived again from facts, and requests of their time range are refused until then. Otherwise a replay rebuilds the tables from the event log automatically, and again after a while if that fails: popsvc projections watch {subject} shows its progress. Requests that read the tables are refused until then. Check the disk of ClickHouse.',
        alert: {
          name: 'TablesDamaged',
          group: 'projections',
          expr: 'max by (projection) (popsvc_damaged_tables) > 0',
          severity: 'critical',
          summary: '{{ $value }} tables of {{ $labels.projection }} are damaged and being rebuilt',
          subjectLabel: 'projection',
        },
      },
      unverified: {
        severity: 'failed',
        advice:
          'The projectors verify the tables within seconds. If they run, see their log; reports are refused until then.',
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
} as const satisfies Record<string, CheckDeclaration>;
