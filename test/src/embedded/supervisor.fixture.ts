import { clickHouseProcess } from '@popsvc/embedded/clickhouse';
import { startSupervisedProcess } from '@popsvc/embedded/supervisor';

/** A supervisor for tests that kill it: runs ClickHouse in the given folder, at the given port, and a small program. Prints their process ids. */
const dir = process.argv[2] ?? '';
const clickhouse = await startSupervisedProcess(
  clickHouseProcess({
    dir,
    port: Number(process.argv[3] ?? 0),
    users: [{ name: 'popsvc_writer', password: 'w', role: 'writer' }],
  }),
);
const child = await startSupervisedProcess({
  name: 'child',
  run: {
    command: [
      process.execPath,
      '-e',
      `process.stdin.on('end', () => process.exit(0)).resume(); console.log('{"ready":true}')`,
    ],
  },
  ready: 'json-line',
});
process.stdout.write(`${JSON.stringify([clickhouse.pid(), child.pid()])}\n`);
