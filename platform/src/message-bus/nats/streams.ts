import { DiscardPolicy, type JetStreamManager, nanos, NatsError, type StreamConfig, StorageType } from 'nats';

const days = (many: number) => nanos(many * 86_400_000);

const bounded = { storage: StorageType.File, discard: DiscardPolicy.Old };

/** A week or a gigabyte of events: who wants older ones reads the log. */
export const eventsStream = {
  name: 'popsvc_events',
  subjects: ['popsvc.events.>'],
  max_age: days(7),
  max_bytes: 2 ** 30,
  duplicate_window: nanos(120_000),
  ...bounded,
};

/** What nobody could handle; for people to look at. */
export const deadStream = {
  name: 'popsvc_dead',
  subjects: ['popsvc.dead.>'],
  max_age: days(30),
  max_bytes: 2 ** 26,
  ...bounded,
};

const [notFound, nameInUse] = [10_059, 10_058];
const isApiError = (error: unknown, code: number) => error instanceof NatsError && error.api_error?.err_code === code;

/** Makes a stream that is missing; one that is there keeps the limits somebody gave it. */
const ensure = async (manager: JetStreamManager, stream: Partial<StreamConfig> & { name: string }) => {
  try {
    await manager.streams.info(stream.name);
  } catch (error) {
    if (!isApiError(error, notFound)) throw error;
    await manager.streams.add(stream).catch((failure: unknown) => {
      if (!isApiError(failure, nameInUse)) throw failure;
    });
  }
};

export const ensureStreams = async (manager: JetStreamManager): Promise<void> => {
  await ensure(manager, eventsStream);
  await ensure(manager, deadStream);
};
