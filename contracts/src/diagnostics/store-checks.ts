import { type CheckDeclaration, wrongShardAdvice } from './check-declaration.ts';

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
  'clickhouse-replica': {
    about: 'Each replica of a ClickHouse cluster responds, accepts writes and is up to date.',
    evaluatedBy: ['doctor'],
    problems: {
      'lost-parts': {
        severity: 'failed',
        advice:
          'Rows of these parts exist on no replica. The projectors rebuild the tables from the event log; see the check read-models. Check the disks of the replicas.',
        alert: {
          name: 'ReplicaPartsLost',
          group: 'engines',
          expr: 'max(popsvc_clickhouse_replica_lost_parts) > 0',
          severity: 'critical',
          summary: 'ClickHouse lost {{ $value }} parts on all replicas',
        },
      },
      'wrong-shard': { severity: 'failed', advice: wrongShardAdvice },
      down: {
        severity: 'warning',
        advice:
          'Start the replica {subject}. While a majority of the replicas responds, reports and projections continue on the others. The loss of another one may stop them.',
        alert: {
          name: 'ReplicaDown',
          group: 'engines',
          expr: 'min by (replica) (popsvc_clickhouse_replica_up) == 0',
          for: '2m',
          severity: 'warning',
          summary: 'The ClickHouse replica {{ $labels.replica }} does not respond',
          subjectLabel: 'replica',
        },
      },
      'no-database': {
        severity: 'warning',
        advice:
          'The projectors create the database on a new replica within seconds. If {subject} lost its disk, remove its former entries from Keeper: see "An empty server" in the guide for operators.',
      },
      'read-only': {
        severity: 'warning',
        advice: 'The replica {subject} has no session with Keeper. Check Keeper and the connection to it.',
        alert: {
          name: 'ReplicaReadOnly',
          group: 'engines',
          expr: 'max by (replica) (popsvc_clickhouse_replica_read_only_tables) > 0',
          for: '2m',
          severity: 'critical',
          summary: '{{ $value }} tables of the ClickHouse replica {{ $labels.replica }} cannot be written',
          subjectLabel: 'replica',
        },
      },
      behind: {
        severity: 'warning',
        advice:
          'The replica {subject} fetches parts more slowly than they are written. See system.replication_queue on it, its disk and its network.',
        alert: {
          name: 'ReplicaBehind',
          group: 'engines',
          expr: 'max by (replica) (popsvc_clickhouse_replica_delay_seconds) > 60',
          for: '5m',
          severity: 'warning',
          summary: 'The ClickHouse replica {{ $labels.replica }} is {{ $value | humanizeDuration }} behind',
          subjectLabel: 'replica',
        },
      },
      'not-ready': {
        severity: 'warning',
        advice:
          'The projectors verify a replica within seconds after its start, and query-api uses it from then on. If this does not change, see the log of the projectors.',
      },
      'broken-parts': {
        severity: 'warning',
        advice:
          'The replica {subject} found damaged parts, detached them and fetched them from another one. Check its disk. Then remove them on it: see "A ClickHouse cluster" in the guide for operators.',
      },
      'not-listed': {
        severity: 'warning',
        advice: 'List all replicas in CLICKHOUSE_URL of the projectors and of query-api.',
      },
    },
  },
  'clickhouse-shards': {
    about: 'Each ClickHouse server lists each shard once in remote_servers.',
    evaluatedBy: ['doctor'],
    problems: {
      'wrong-list': {
        severity: 'failed',
        advice:
          'Correct the cluster CLICKHOUSE_CLUSTER in remote_servers of {subject}: each shard of CLICKHOUSE_URL once, with its replicas, in any order. Until then, requests of operators that read all shards through this server respond 503, and queries of analysts on it lack rows or return them twice.',
      },
      unreadable: {
        severity: 'failed',
        advice:
          'Requests of operators and queries of analysts that read all shards through {subject} fail. If the check clickhouse-replica reports no problem, check the hosts, ports and the secret in its remote_servers.',
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
  'postgresql-replication': {
    about:
      'Commits in PostgreSQL wait for a standby, if POSTGRES_REQUIRE_SYNC_STANDBY is true. The standbys are connected and up to date.',
    evaluatedBy: ['doctor'],
    problems: {
      asynchronous: {
        severity: 'failed',
        advice:
          'If the primary fails now, leases and checkpoints may be lost that the service relies on. Change the settings of the server and of the role (guide for operators, A PostgreSQL standby). A service that restarts before that ends at once.',
        alert: {
          name: 'PostgresqlAsynchronous',
          group: 'engines',
          expr: 'max(popsvc_postgresql_asynchronous) > 0',
          severity: 'critical',
          summary: 'Commits in PostgreSQL do not wait for a standby',
        },
      },
      'no-standby': {
        severity: 'failed',
        advice:
          'Commits wait until enough standbys stream: projections wait, and requests with an Idempotency-Key get 503. Nothing is lost. Start the standbys and check their logs. The application_name in primary_conninfo must be a name in synchronous_standby_names.',
        alert: {
          name: 'PostgresqlNoStandby',
          group: 'engines',
          expr: 'max(popsvc_postgresql_missing_standbys) > 0',
          for: '1m',
          severity: 'critical',
          summary: 'Commits in PostgreSQL wait for {{ $value }} standbys that are not connected',
        },
      },
      'not-connected': {
        severity: 'warning',
        advice:
          'Start the standby {subject}, or remove its name from synchronous_standby_names. Commits continue with the others.',
      },
      behind: {
        severity: 'warning',
        advice:
          'The standby {subject} replays WAL more slowly than it is written, which delays a fail-over to it. Check its disk, its CPU and its network, and whether a long query on it delays the replay.',
        alert: {
          name: 'PostgresqlStandbyBehind',
          group: 'engines',
          expr: 'max by (standby) (popsvc_postgresql_standby_lag_bytes) > 67108864',
          for: '5m',
          severity: 'warning',
          summary: 'The PostgreSQL standby {{ $labels.standby }} is {{ $value | humanize1024 }}B behind',
          subjectLabel: 'standby',
        },
      },
      'not-visible': {
        severity: 'warning',
        advice:
          'Grant the role that DATABASE_URL names the right to see standbys: GRANT pg_read_all_stats TO {subject}.',
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
    about:
      'The local times of reports and the opening hours in the rows of coffee come from the time zone data of this release.',
    evaluatedBy: ['doctor'],
    problems: {
      differ: {
        severity: 'warning',
        advice:
          'The projectors write their time zone data to ClickHouse when they start. Run the same release in all processes, and restart the projectors.',
      },
      outdated: {
        severity: 'warning',
        advice:
          'Local times in reports follow the current data. Opening hours are stored in rows: popsvc projections replay coffee --from facts computes them again.',
      },
      converted: {
        severity: 'warning',
        advice:
          'Vendors sent these plays with local times, which were converted by former rules of their zones. popsvc projections replay coffee --from log converts them again, and computes opening hours again, too.',
      },
    },
  },
} as const satisfies Record<string, CheckDeclaration>;
