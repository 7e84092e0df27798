import { type CheckDeclaration, storeProblems, wrongShardAdvice } from './check-declaration.ts';

/** Checks of the service processes and their dependencies: the stores and the message bus. */
export const dependencyChecks = {
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
      degraded: {
        severity: 'warning',
        advice: 'The rest of the service works. See the findings about the checks that it lists.',
      },
      'not-reporting': { severity: 'failed', advice: 'Start it, or check that it reaches PostgreSQL.' },
    },
  },
  'event-store': {
    about: 'The event store answers, and the login of the service may read $all and append.',
    evaluatedBy: ['doctor', 'overview', 'command line'],
    readiness: ['command-api', 'worker', 'projectors'],
    problems: {
      ...storeProblems('the event store', 'EVENTSTORE_URL'),
      'no-leader': {
        severity: 'failed',
        advice:
          'A cluster elects a leader within seconds. If this stays, more than half of its nodes must run and reach each other, and EVENTSTORE_URL must have the right hosts, tls and tlsCaFile.',
      },
      'rights-missing': {
        severity: 'failed',
        advice:
          'Run `popsvc eventstore grant` with the password of an administrator; EVENTSTORE_URL must contain the login of the service.',
      },
    },
  },
  clickhouse: {
    about: 'ClickHouse answers, and each shard in CLICKHOUSE_URL is the one that its database says.',
    evaluatedBy: ['doctor', 'overview', 'command line'],
    readiness: ['query-api', 'projectors'],
    problems: {
      ...storeProblems('ClickHouse', 'CLICKHOUSE_URL', 'CLICKHOUSE_USER and CLICKHOUSE_PASSWORD'),
      'wrong-shard': { severity: 'failed', advice: wrongShardAdvice },
    },
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
    about:
      'NATS, if NATS_URL is set, answers and has the streams of the service, with three replicas in a cluster. Without it no event is lost.',
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
      'replicas-behind': {
        severity: 'warning',
        advice:
          'Start the servers of the cluster that are down. While most replicas are current, messages are published.',
      },
      'few-replicas': {
        severity: 'warning',
        advice:
          'If the cluster has at least three servers, change the number of replicas: `nats stream edit NAME --replicas 3`. The service does not change existing streams.',
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
} as const satisfies Record<string, CheckDeclaration>;
