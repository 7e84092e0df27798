import { createCheck, failed, type Finding, warning } from '@popsvc/contracts/diagnostics';
import type { NatsStreamStatus } from '@popsvc/platform/message-bus';
import type { DiagnosticsDependencies, ServiceEvaluation } from '../dependencies.ts';
import { classifyFailure, describeFailure, failureTexts } from '../failures.ts';

const check = createCheck(
  'nats',
  'NATS, if NATS_URL is set, answers and has the stream of the service, with three replicas in a cluster. Without it no event is lost.',
  {
    'no-jetstream': failed('Start it with --jetstream and a --store_dir, or allow JetStream for the account.'),
    credentials: failed('Check user and password in NATS_URL.'),
    unreachable: failed(
      'Start nats-server, or fix the connection to it (NATS_URL). Until then no event is published. Nothing is lost.',
    ),
    'streams-missing': warning('The relay creates it with the next event; if it does not, restart the projectors.'),
    'replicas-behind': warning(
      'Start the servers of the cluster that are down. While most replicas are current, messages are published.',
    ),
    'few-replicas': warning(
      'If the cluster has at least three servers, change the number of replicas: `nats stream edit NAME --replicas 3`. The service does not change existing streams.',
    ),
  },
);

const describeReplicas = ({ name, replicas: { configured, current } }: NatsStreamStatus): string =>
  configured === 1 ? `${name} has one replica` : `${current} of ${configured} replicas of ${name} are current`;

export const nats = {
  check,
  async evaluate({ bus }: Pick<DiagnosticsDependencies, 'bus'>): Promise<readonly Finding[]> {
    if (!bus) return [check.ok({ found: 'not used: NATS_URL is not set, so events are not published' })];
    try {
      const { jetStream, streams, missing, replicas } = await bus();
      if (!jetStream)
        return [
          check.problem('no-jetstream', {
            found: 'the server runs without JetStream, so events are not published',
          }),
        ];
      if (missing.length > 0)
        return [check.problem('streams-missing', { found: `streams are missing: ${missing.join(', ')}` })];
      const behind = streams.filter((stream) => stream.replicas.current < stream.replicas.configured);
      if (behind.length > 0)
        return [check.problem('replicas-behind', { found: behind.map(describeReplicas).join(', ') })];
      const few = streams.filter((stream) => stream.replicas.configured < replicas);
      if (few.length > 0) return [check.problem('few-replicas', { found: few.map(describeReplicas).join(', ') })];
      const found = streams.map(({ name, messages }) => `${name} holds ${messages} messages`).join(', ');
      return [check.ok({ found })];
    } catch (error) {
      const kind = classifyFailure(error) === 'credentials' ? 'credentials' : 'unreachable';
      return [check.problem(kind, { found: `${failureTexts[kind]}: ${describeFailure(error)}` })];
    }
  },
} satisfies ServiceEvaluation;
