import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { claimPort } from './claim-port.ts';

/** The port is somebody else's; the message tells which one and which variable moves it. */
export class PortInUseError extends Error {
  override readonly name = 'PortTaken';
}

/** Whoever holds the port may be a predecessor on its way out: so long it is waited for. */
const PATIENCE_MS = 1_000;

/**
 * Chosen now and listened on in a moment by an engine, so nobody else may be given it meanwhile: below the ports that the system
 * gives out, which begin at 32,768 on Linux, and none that another process has chosen.
 */
const [FIRST_FREE, FREE_COUNT] = [20_000, 12_767];
/** Each process begins elsewhere, so that few ports it looks at are chosen already. */
let given = process.pid * 37;
const nextFree = (): number => FIRST_FREE + (given++ % FREE_COUNT);

const chooseFree = async (): Promise<number | undefined> => {
  for (let tries = 0; tries < FREE_COUNT; tries += 1) {
    const port = nextFree();
    const claim = await claimPort(port);
    if (!claim) continue;
    if (typeof (await tryPort(port)) === 'number') return port;
    claim.close();
  }
  return undefined;
};

/**
 * A loopback port that can be listened on: the wanted one, or any free one for 0.
 * Asked before an engine starts, because engines say "address in use" in their own words or not at all.
 */
export const choosePort = async (wanted: number, variable: string): Promise<number> => {
  const free = wanted === 0 ? await chooseFree() : undefined;
  if (free !== undefined) return free;
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const outcome = await tryPort(wanted);
    if (typeof outcome === 'number') return outcome;
    if (outcome.code !== 'EADDRINUSE') throw outcome.code === 'EACCES' ? forbidden(wanted, variable) : outcome;
    if (Date.now() >= deadline) throw taken(wanted, variable);
    await sleep(50);
  }
};

const tryPort = (wanted: number): Promise<number | NodeJS.ErrnoException> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen({ port: wanted, host: '127.0.0.1', exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(address !== null && typeof address === 'object' ? address.port : wanted));
    });
  });

const taken = (port: number, variable: string): PortInUseError =>
  new PortInUseError(`port ${port} is already in use: stop what listens there or set ${variable} to another port`);
const forbidden = (port: number, variable: string): PortInUseError =>
  new PortInUseError(`port ${port} may not be used by this user: set ${variable} to another port`);
