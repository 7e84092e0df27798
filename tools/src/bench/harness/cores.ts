import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

/** Core of the benchmark process and of the workers that send requests. */
const senderCore = '0';
const serviceCores = () => (cpus().length === 2 ? '1' : `1-${cpus().length - 1}`);

/** Moves this process, and the processes that it starts from now on, to some cores. */
const moveToCores = (cores: string): void => {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(process.pid)], { stdio: 'ignore' });
};

/**
 * Starts engines and services on all cores but the first, and leaves the first core to this process and to the workers that it starts
 * later, so that senders do not slow the service down. Requires taskset of util-linux and two cores.
 */
export const startOnOwnCores = async <Started>(
  rig: { onClose(close: () => Promise<unknown>): void },
  start: () => Promise<Started>,
): Promise<Started> => {
  if (cpus().length < 2) throw new Error('senders and service need a core each; this machine has one');
  rig.onClose(() => {
    moveToCores(`0-${cpus().length - 1}`);
    return Promise.resolve();
  });
  moveToCores(serviceCores());
  try {
    return await start();
  } finally {
    moveToCores(senderCore);
  }
};
