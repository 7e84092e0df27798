import { createSocket, type Socket } from 'node:dgram';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '@popsvc/platform/runtime';

class PortInUseError extends OperatorError {
  override readonly name = 'PortInUseError';
}

/** An earlier run that is still shutting down may be using the port. */
const retryTimeoutMs = 1_000;

/** Below the ports that the operating system assigns (on Linux, from 32,768 by default), so it gives a chosen port to no other process. */
const firstFreePort = 20_000;
const freePortCount = 12_767;
/** Depends on the process id, so two processes rarely try the same ports. */
let tried = process.pid * 37;
const nextCandidate = (): number => firstFreePort + (tried++ % freePortCount);

/** Claims a TCP port by binding the UDP port with the same number, so that the TCP port stays free. Undefined if the port is claimed. */
const claimPort = (port: number): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const claim = createSocket('udp4');
    claim.once('error', () => {
      claim.close();
      resolve(undefined);
    });
    claim.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      resolve(claim.unref());
    });
  });

const isAmongFreePorts = (port: number): boolean => port >= firstFreePort && port < firstFreePort + freePortCount;

const chooseFreePort = async (): Promise<number | undefined> => {
  for (let tries = 0; tries < freePortCount; tries += 1) {
    const port = nextCandidate();
    const claim = await claimPort(port);
    if (!claim) continue;
    if (typeof (await tryPort(port)) === 'number') return port;
    claim.close();
  }
  return undefined;
};

/** 0 requests any free port. Call it before an engine starts: engines report an occupied port in different ways or not at all. */
export const choosePort = async (requested: number, variable: string): Promise<number> => {
  const free = requested === 0 ? await chooseFreePort() : undefined;
  if (free !== undefined) return free;
  const deadline = Date.now() + retryTimeoutMs;
  for (;;) {
    const outcome = await tryPort(requested);
    if (typeof outcome === 'number') return outcome;
    if (outcome.code === 'EACCES') throw portForbidden(requested, variable);
    if (outcome.code !== 'EADDRINUSE') throw outcome;
    if (Date.now() >= deadline) throw portInUse(requested, variable);
    await sleep(50);
  }
};

/**
 * If some ports cannot be used, throws one error that names each of them with its variable. `requested` maps variables to ports. No
 * process chooses a requested port as a free one afterwards.
 */
export const choosePorts = async <Variable extends string>(
  requested: Readonly<Record<Variable, number>>,
): Promise<Readonly<Record<Variable, number>>> => {
  const variables = Object.keys(requested) as Variable[];
  await Promise.all(
    variables
      .map((variable) => requested[variable])
      .filter(isAmongFreePorts)
      .map(claimPort),
  );
  const chosen = variables.map(
    async (variable) => [variable, await choosePort(requested[variable], variable)] as const,
  );
  const refused = (await Promise.allSettled(chosen)).flatMap((outcome) =>
    outcome.status === 'rejected' && outcome.reason instanceof PortInUseError ? [outcome.reason.message] : [],
  );
  if (refused.length > 1) throw new PortInUseError(refused.join('\n  '));
  return Object.fromEntries(await Promise.all(chosen)) as Record<Variable, number>;
};

const tryPort = (requested: number): Promise<number | NodeJS.ErrnoException> =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen({ port: requested, host: '127.0.0.1', exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(address !== null && typeof address === 'object' ? address.port : requested));
    });
  });

const portInUse = (port: number, variable: string): PortInUseError =>
  new PortInUseError(
    `port ${port} is already in use: stop the program that listens on it or set ${variable} to another port`,
  );
const portForbidden = (port: number, variable: string): PortInUseError =>
  new PortInUseError(`this user may not listen on port ${port}: set ${variable} to another port`);
