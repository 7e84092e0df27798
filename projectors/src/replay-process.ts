import { once } from 'node:events';
import { setPriority } from 'node:os';
import { readConfig } from '@popsvc/platform/config';
import { openEventStore } from '@popsvc/platform/event-store';
import { openShardWriters } from '@popsvc/platform/clickhouse';
import { createCheckpointStore, createLeaseStore, openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import type { Projection } from './engine/projection.ts';
import { clickHouseOf, ProjectorsConfig } from './service/config.ts';
import { projectionShards } from './service/shards.ts';
import { type BackgroundMessage, type BackgroundRequest, toFailureMessage } from './engine/replay/background.ts';
import { buildGeneration } from './engine/replay/build-generation.ts';

/** With a low scheduling priority, a replay slows down other processes less. */
const niceness = 10;

const gone = new AbortController();
process.once('disconnect', () => gone.abort());
process.once('SIGTERM', () => gone.abort());
// Ctrl+C in a terminal also sends SIGINT to this process, but its parent process stops it.
process.on('SIGINT', () => undefined);
setPriority(niceness);

const [request] = (await once(process, 'message', { signal: gone.signal })) as [BackgroundRequest];
const config = readConfig(ProjectorsConfig, process.env);
const log = createLog('projectors', config.LOG_LEVEL).child({ background: 'build' });
const postgres = openPostgres({ url: config.DATABASE_URL.reveal(), log, name: 'projectors-replay' });
const store = openEventStore({ url: config.EVENTSTORE_URL.reveal() });
const writers = openShardWriters({
  ...clickHouseOf(config),
  lowPriority: { threads: request.threads },
});

// Running statements may take minutes. The process that resumes the replay begins them again.
gone.signal.addEventListener('abort', () => writers.forEach((writer) => writer.cancelStatements()));

const send = (message: BackgroundMessage): void => {
  if (process.connected) process.send?.(message);
};

const execute = async (): Promise<BackgroundMessage> => {
  const { generation, partition, upTo, owner } = request;
  const isWanted = ({ name }: Projection) => name === request.projection;
  const shard = projectionShards(writers).find(({ projections }) => projections.some(isWanted));
  const projection = shard?.projections.find(isWanted);
  if (!shard || !projection) throw new Error(`unknown projection ${request.projection}`);
  const { writer } = shard;
  const leases = createLeaseStore(postgres);
  const dependencies = { store, writer, postgres, checkpoints: createCheckpointStore(postgres), leases, log, owner };
  await buildGeneration(
    dependencies,
    { projection, generation, partition, upTo },
    (progress) => send({ kind: 'progress', progress }),
    gone.signal,
  );
  return { kind: 'done' };
};

const result = await execute().catch(toFailureMessage);
await Promise.allSettled([store.close(), ...writers.map((writer) => writer.close()), postgres.end()]);
if (process.connected) process.send?.(result, () => process.disconnect());
