import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { choosePort } from '@popsvc/embedded/supervisor';
import { isInstalled } from './is-installed.ts';
import { temporaryFolder, whenRunEnds } from '@popsvc/tools/rig';

export const natsProgram = 'nats-server';
export const hasNats = isInstalled(natsProgram);

/** A nats-server with JetStream of the calling suite's own. */
export interface TestNats {
  /** With user and password; the same over every restart. */
  readonly url: string;
  stop(): Promise<void>;
  /** Ends it without warning and leaves it down. */
  kill9(): Promise<void>;
  /** Forgets everything; only while it is down. */
  wipe(): Promise<void>;
  /** Starts it again on its folder and port. */
  start(): Promise<void>;
}

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('data', () => resolve(true)).once('error', () => resolve(false));
    socket.once('close', () => resolve(false)).once('data', () => socket.destroy());
  });

const [user, password] = ['popsvc', 'a-password-of-tests'];

/** `jetStream: false`: as somebody may start it who forgot. */
export const startTestNats = async (flags: readonly string[] = [], { jetStream = true } = {}): Promise<TestNats> => {
  const dir = await temporaryFolder('nats');
  const port = await choosePort(0, 'NATS_URL');
  const store = join(dir, 'store');
  const kept = jetStream ? ['--jetstream', '--store_dir', store] : [];
  const options = ['--addr', '127.0.0.1', '--port', String(port), ...kept];
  let server: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = server;
    server = undefined;
    if (!ending || ending.exitCode !== null || ending.signalCode !== null) return;
    ending.kill(signal);
    await once(ending, 'exit');
  };
  const start = async () => {
    const started = spawn(natsProgram, [...options, '--user', user, '--pass', password, ...flags], { stdio: 'ignore' });
    server = started;
    for (let tries = 0; !(await isListening(port)); tries += 1) {
      if (tries === 200 || started.exitCode !== null) throw new Error('nats-server did not start');
      await sleep(50);
    }
  };
  await start();
  whenRunEnds(() => end('SIGKILL'));
  return {
    url: `nats://${user}:${password}@127.0.0.1:${port}`,
    stop: () => end('SIGTERM'),
    kill9: () => end('SIGKILL'),
    wipe: () => rm(store, { recursive: true, force: true }),
    start,
  };
};
