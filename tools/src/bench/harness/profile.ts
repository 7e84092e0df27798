import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, join } from 'node:path';
import { isMainThread } from 'node:worker_threads';

/** Folder of the CPU profiles. Every process of a profiled run imports this file first and writes its profile when it exits. */
const dir = process.env['BENCH_PROFILES'];

if (dir !== undefined && isMainThread) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.start');
  process.once('exit', () => {
    // This inspector session is connected to the thread that it runs on, so it calls back synchronously. An `exit` handler cannot
    // wait for an asynchronous callback.
    session.post('Profiler.stop', (error, { profile }) => {
      if (error) return;
      const entry = (process.argv[1] ?? 'node').split('/').slice(-3, -1).join('-');
      mkdirSync(dir, { recursive: true });
      const name = `${entry}-${basename(process.argv[1] ?? '', '.js')}-${process.pid}.cpuprofile`;
      writeFileSync(join(dir, name), JSON.stringify(profile));
    });
  });
}
