import type { CheckDeclaration } from './check-declaration.ts';

/** Checks of the contents and the configuration of the stores: schemas, settings, views. */
export const storeChecks = {
  'event-log': {
    about: 'The records of the embedded event store are whole, as far as it has read them again in the background.',
    evaluatedBy: ['doctor'],
    problems: {
      damaged: {
        severity: 'failed',
        advice:
          'popsvc log verify lists all damage. Then stop the service and restore a backup, or run popsvc log repair, which keeps what it takes out. Projections stop before a damaged record; what was accepted before it is in reports.',
        alert: {
          name: 'EventLogDamaged',
          group: 'engines',
          expr: 'max(popsvc_event_log_damages) > 0',
          severity: 'critical',
          summary: 'The log of the embedded event store is damaged in {{ $value }} places',
        },
      },
      'not-checked': {
        severity: 'warning',
        advice:
          'Each file of the log is checked once a day while the service runs. If the log is too large for that, run popsvc log verify now and then.',
        alert: {
          name: 'EventLogNotChecked',
          group: 'engines',
          expr: 'max(popsvc_event_log_oldest_check_seconds) > 259200',
          for: '1h',
          severity: 'warning',
          summary: 'A file of the embedded log was last checked {{ $value | humanizeDuration }} ago',
        },
      },
    },
  },
  migrations: {
    about: 'The tables of PostgreSQL are those of this release.',
    evaluatedBy: ['doctor'],
    problems: {
      missing: {
        severity: 'failed',
        advice:
          'Restart a service: each migrates the tables when it starts. If a service has run before, the database is a restored older copy, which is safe.',
      },
      newer: {
        severity: 'warning',
        advice: 'Run that release everywhere, or restore the copy of the database from before the upgrade.',
      },
    },
  },
  'postgresql-data': {
    about: 'The tables of PostgreSQL are undamaged, and its data checksums are on, so that damage is noticed.',
    evaluatedBy: ['doctor'],
    problems: {
      damaged: {
        severity: 'failed',
        advice:
          'A file of the database is damaged: check the disk, stop the services and restore PostgreSQL from its backup (guide for operators, Restore). On a server that keeps its old files, run pg_stat_reset() after that.',
      },
      'no-checksums': {
        severity: 'warning',
        advice:
          'Stop PostgreSQL, run pg_checksums --enable on its data folder, and start it again. For the embedded PostgreSQL, restart the service where pg_checksums is installed.',
      },
    },
  },
  schema: {
    about: 'Tables, views and dictionaries in ClickHouse are those of this release.',
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
  'time-zones': {
    about: 'ClickHouse and Node.js have the same rules for the current time zones of networks and sites.',
    evaluatedBy: ['doctor'],
    problems: {
      differ: {
        severity: 'warning',
        advice:
          'ClickHouse formats the local times of reports; Node.js converts the local times that vendors send. Upgrade the program with the older time zone data. Times that were converted before do not change.',
      },
    },
  },
} as const satisfies Record<string, CheckDeclaration>;
