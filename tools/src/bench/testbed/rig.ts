import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { startClickHouse } from './clickhouse.ts';
import { startEventStore } from './event-store.ts';
import { startRecords } from './records.ts';
import { createDataFolder, removeDataFolder } from './rig-folder.ts';
import { type Engines, type RunningService, type ServiceName, startService } from './service.ts';
import { startChildProcess, type ChildProcess } from '../harness/child-process.ts';

/** Engines, services and workers of one scenario: each its own process, started when first asked for. */
export interface Testbed extends Engines {
  /** A service on the rig's engines. */
  service(name: ServiceName, env?: Readonly<Record<string, string>>): Promise<RunningService>;
  worker(entry: URL): ChildProcess;
  /** Something else to be closed before the engines are stopped. */
  addCleanup(close: () => Promise<unknown>): void;
  close(): Promise<void>;
}

export const openTestbed = (): Testbed => {
  const dir = createDataFolder();
  const closers: (() => Promise<unknown>)[] = [() => removeDataFolder(dir)];
  const keep: Testbed['addCleanup'] = (close) => void closers.push(close);
  const started = new Map<string, Promise<unknown>>();
  const once = <Part extends { stop(): Promise<void> }>(name: string, start: (dir: string) => Promise<Part>) => {
    const part = (started.get(name) as Promise<Part> | undefined) ?? start(join(dir, name));
    if (!started.has(name)) keep(() => part.then((up) => up.stop()).catch(() => undefined));
    started.set(name, part);
    return part;
  };
  const secret = () => randomBytes(24).toString('hex');
  const shared = { POPSVC_OPERATOR_TOKEN: secret(), UPLOAD_SIGNING_KEY: secret(), DATA_DIR: dir };
  const rig: Testbed = {
    addCleanup: keep,
    eventStore: () => once('event-store', startEventStore),
    clickhouse: () => once('clickhouse', startClickHouse),
    postgres: async () => (await once('postgres', startRecords)).url,
    async service(name, env = {}) {
      const running = await startService(name, rig, { ...shared, ...env });
      keep(() => running.stop());
      return running;
    },
    worker(entry) {
      const worker = startChildProcess(entry);
      keep(() => worker.stop());
      return worker;
    },
    async close() {
      for (let close = closers.pop(); close; close = closers.pop()) await close();
    },
  };
  return rig;
};
