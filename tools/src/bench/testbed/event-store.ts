import { eventStoreEntry } from '@popsvc/embedded/event-store';
import { startSupervisedProcess } from '@popsvc/embedded/supervisor';

export interface EventStoreNode {
  readonly url: string;
  readonly pid: number;
  /** Where its files are. */
  readonly dir: string;
  stop(): Promise<void>;
}

export const startEventStore = async (dir: string): Promise<EventStoreNode> => {
  const part = await startSupervisedProcess({
    name: 'event-store',
    run: { entry: eventStoreEntry },
    env: { EVENT_STORE_DIR: dir, EVENT_STORE_PORT: '0' },
    ready: 'json-line',
    restart: false,
  });
  const url = `esdb://127.0.0.1:${String(part.readyLine()?.['port'])}?tls=false`;
  return { url, pid: part.pid()!, dir, stop: () => part.stop() };
};
