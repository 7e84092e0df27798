import { arch, cpus, loadavg, release, totalmem, type } from 'node:os';

/** What the numbers were measured on; nothing that names the machine or who uses it. */
export const describeMachine = () => ({
  system: `${type()} ${release()} ${arch()}`,
  cpu: cpus()[0]?.model ?? 'unknown',
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 1024 ** 3),
  node: process.version,
  /** Processes that ran or waited, over the last minute: more than the cores means that others were at work. */
  load: loadavg()[0],
});
export type Machine = ReturnType<typeof describeMachine>;
