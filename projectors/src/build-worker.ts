import { once } from 'node:events';
import { hostname, setPriority } from 'node:os';
import { readConfig } from '@popsvc/platform/config';
import { openEventStore } from '@popsvc/platform/event-store';
import { openClickHouseWriter } from '@popsvc/platform/clickhouse';
import { createCheckpointStore, createLeaseStore, openPostgres } from '@popsvc/platform/postgres';
import { createLog } from '@popsvc/platform/telemetry';
import { allProjections } from './projections/all.ts';
import { ProjectorsConfig } from './service/config.ts';
import { countLog } from './engine/parallel-build/log-counter.ts';
import { buildInThisProcess } from './engine/parallel-build/worker.ts';
import { type ProcessRequest, toFailureMessage, type ProcessMessage } from './engine/parallel-build/processes.ts';

/** Low priority: a build must not slow down the service. */
const niceness = 10;

/** Aborts when the parent process is gone. Otherwise the process exits after its one build or count. */
const gone = new AbortController();
process.once('disconnect', () => gone.abort());
process.once('SIGTERM', () => gone.abort());
// A terminal sends SIGINT to the whole process group; the parent process decides.
process.on('SIGINT', () => undefined);
setPriority(niceness);

const [request] = (await once(process, 'message', { signal: gone.signal })) as [ProcessRequest];
const config = readConfig(ProjectorsConfig, process.env);
const log = createLog('projectors', config.LOG_LEVEL).child({ build: request });
const postgres = openPostgres({ url: config.DATABASE_URL.reveal(), log, name: 'projectors-build' });
const store = openEventStore({ url: config.EVENTSTORE_URL.reveal() });
const writer = openClickHouseWriter({
  url: config.CLICKHOUSE_URL,
  username: config.CLICKHOUSE_USER,
  password: config.CLICKHOUSE_PASSWORD.reveal(),
  isGentle: true,
});

const send = (message: ProcessMessage): void => {
  if (process.connected) process.send?.(message);
};

const work = async (): Promise<ProcessMessage> => {
  if ('prefixes' in request) {
    const which = { prefixes: request.prefixes, upTo: BigInt(request.upTo) };
    return { done: true, counts: await countLog(store)(which, (counted) => send({ counted }), gone.signal) };
  }
  const projection = allProjections.find(({ name }) => name === request.projection);
  if (!projection) throw new Error(`unknown projection ${request.projection}`);
  const parts = {
    store,
    writer,
    postgres,
    log,
    checkpoints: createCheckpointStore(postgres),
    leases: createLeaseStore(postgres),
  };
  const owner = `${config.POPSVC_INSTANCE ?? hostname()}/build-${process.pid}`;
  await buildInThisProcess({ ...parts, owner })({ projection, generation: request.generation }, gone.signal);
  return { done: true };
};

const result = await work().catch(toFailureMessage);
await Promise.allSettled([store.close(), writer.close(), postgres.end()]);
if (process.connected) process.send?.(result, () => process.disconnect());
