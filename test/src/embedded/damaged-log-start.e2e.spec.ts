import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { prepareDataFolder } from '@popsvc/embedded/start';
import { choosePort } from '@popsvc/embedded/supervisor';
import { temporaryFolder, waitUntil } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { appendTo, flipBit, openLog, segmentFile } from '../event-store/log.fixture.ts';
import { connectTo, readAllOf, refusal, someEvents } from '../event-store/store.fixture.ts';
import { encryptionKey } from '../support/test-sealer.ts';

const entry = fileURLToPath(new URL('../../../embedded/dist/main.js', import.meta.url));

/** Only the event store is embedded, so a start is cheap: the other engines are servers that never respond. */
describe('npm start on a damaged log', function () {
  let silent: Server;
  let dataDir: string;
  let log: string;

  const start = (eventStorePort: number, ...args: string[]): ChildProcess => {
    const address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
    return spawn(process.execPath, ['--enable-source-maps', entry, ...args], {
      env: {
        ...process.env,
        DATA_DIR: dataDir,
        DATABASE_URL: `postgres://popsvc:none@${address}/popsvc`,
        CLICKHOUSE_URL: `http://${address}/popsvc`,
        CLICKHOUSE_USER: 'none',
        CLICKHOUSE_PASSWORD: 'none',
        POPSVC_OPERATOR_TOKEN: 'operator-token-of-tests',
        POPSVC_ENCRYPTION_KEY: encryptionKey,
        EMBEDDED_EVENTSTORE_PORT: String(eventStorePort),
        ...Object.fromEntries(['QUERY_API', 'COMMAND_API', 'OPS'].map((name) => [`${name}_PORT`, '0'])),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  };

  before(async () => {
    silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    dataDir = await temporaryFolder('damaged-start');
    await prepareDataFolder(dataDir);
    log = join(dataDir, 'event-store');
    const opened = await openLog(log);
    const outcome = await appendTo(opened, 's', 1);
    await appendTo(opened, 's', 3);
    await opened.store.close();
    if (outcome.is === 'appended') flipBit(segmentFile(log), outcome.position! + 100);
  });
  after(() => silent.close());

  it('prints which file is damaged and what to do, without a stack trace, and exits with code 1', async () => {
    const service = start(0);
    let printed = '';
    service.stderr!.on('data', (text: Buffer) => (printed += text.toString()));
    const [code] = (await once(service, 'close')) as [number | null];
    expect(code).to.equal(1);
    expect(printed)
      .to.contain(
        `popsvc could not start: event-store could not start: event store: the event log in ${log} is damaged`,
      )
      .and.contain(`${segmentFile(log)}, position `)
      .and.contain(`popsvc log repair ${log}`);
    expect(printed).to.not.match(/^\s+at /m);
  });

  it('serves what is whole with --read-only, and refuses appends', async () => {
    const port = await choosePort(0, 'EMBEDDED_EVENTSTORE_PORT');
    const service = start(port, '--read-only');
    const exited = once(service, 'exit');
    const client = connectTo(`esdb://127.0.0.1:${port}?tls=false`);
    try {
      await waitUntil(
        () => readAllOf(client, 's').catch((error: unknown) => String(error)),
        (read) => read.length === 3,
      );
      expect(String((await refusal(client.appendToStream('s', someEvents(1))))['message'])).to.contain('--read-only');
    } finally {
      await client.dispose();
      service.kill('SIGTERM');
      await exited;
    }
  });
});
