import type { DiagnosticsDependencies } from './doctor-parts.ts';
import { failed, type Finding, ok, warning } from './finding.ts';
import { reasonOf, type Trouble, troubleOf } from './trouble.ts';

const name = 'nats';

const advice: Readonly<Partial<Record<Trouble, string>>> = {
  credentials: 'Check user and password in NATS_URL.',
  unreachable:
    'Start nats-server, or mend the way to it (NATS_URL). Until then jobs are woken by the log, and nothing is lost.',
};

/** The bus carries wake-ups and a feed: while it is away nothing is lost, so nothing of it is worse than a warning but what is set up wrongly. */
export const lookAtBus = async ({ bus }: Pick<DiagnosticsDependencies, 'bus'>): Promise<readonly Finding[]> => {
  if (!bus) return [ok(name, 'not used: NATS_URL is not set, and the log does the waking')];
  try {
    const { jetStream, streams, missing } = await bus();
    if (!jetStream)
      return [
        failed(
          name,
          'the server runs without JetStream, so events are not published',
          'Start it with --jetstream and a --store_dir, or allow JetStream for the account.',
        ),
      ];
    if (missing.length > 0)
      return [
        warning(
          name,
          `streams are missing: ${missing.join(', ')}`,
          'The relay makes them with the next event; restart the projectors if they stay away.',
        ),
      ];
    return [ok(name, streams.map(({ name: stream, messages }) => `${stream} holds ${messages} messages`).join(', '))];
  } catch (error) {
    const trouble = troubleOf(error);
    const text = trouble === 'credentials' ? 'nats refuses our login' : 'nats cannot be reached';
    return [failed(name, `${text}: ${reasonOf(error)}`, advice[trouble] ?? advice.unreachable!)];
  }
};
