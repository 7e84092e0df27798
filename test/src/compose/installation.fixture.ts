import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { waitUntil, addCleanUp } from '@popsvc/tools/rig';
import { jobs, services, stores } from '../architecture/compose.fixture.ts';
import { root } from '../architecture/tree.fixture.ts';

/** Its volumes and containers are not those of an installation on the same machine. */
const projectName = 'popsvc-compose-test';
const nodeStandIn = `${projectName}/node`;

/** All containers that keep running. */
export const containers = [...stores, ...services];

interface ContainerState {
  readonly Id: string;
  readonly RestartCount: number;
  readonly State: {
    readonly Status: string;
    readonly ExitCode: number;
    readonly Pid: number;
    readonly Health?: { readonly Status: string };
  };
  readonly Config: { readonly Image: string };
  readonly NetworkSettings: {
    readonly Ports: Readonly<Record<string, readonly { readonly HostIp: string; readonly HostPort: string }[] | null>>;
  };
}

/** Without the variables of this process, of which Compose would take those that docker-compose.yml names. */
const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], DOCKER_HOST: process.env['DOCKER_HOST'] };

const run = async (program: string, args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}) => {
  const { stdout } = await promisify(execFile)(program, args, { cwd, env: { ...env, ...more }, maxBuffer: 1e8 });
  return stdout;
};

/** A copy of this project's files, run by Compose with stand-ins for the engines. */
export class Installation {
  readonly folder = join(tmpdir(), projectName, 'project');
  #operatorToken = '';

  docker = (...args: readonly string[]): Promise<string> => run('docker', args, this.folder);

  compose = (...args: readonly string[]): Promise<string> => this.shell('docker compose "$@"', ...args);

  /** Runs commands as an operator does in the folder of the project. `docker compose` has the stand-ins. */
  shell = (commands: string, ...args: readonly string[]): Promise<string> =>
    run('sh', ['-euc', commands, 'sh', ...args], this.folder, {
      COMPOSE_PROJECT_NAME: projectName,
      COMPOSE_FILE: ['docker-compose.yml', join(root, 'test/compose/stand-ins.yml')].join(':'),
    });

  /** Copies the files that Git knows or would add. */
  async copyProject(): Promise<void> {
    rmSync(this.folder, { recursive: true, force: true });
    mkdirSync(this.folder, { recursive: true });
    const list = 'git ls-files --cached --others --exclude-standard -z | xargs -0 cp --parents --target-directory "$0"';
    await run('sh', ['-c', list, this.folder], root);
    // For set-version.mjs; images contain no modules of this machine.
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Creates secrets and certificates as an operator does. */
  async makeSecrets(): Promise<void> {
    await run('sh', ['deploy/make-env.sh'], this.folder);
    this.#operatorToken = this.secret('POPSVC_OPERATOR_TOKEN');
  }

  secret(name: string): string {
    const value = new RegExp(`^${name}=(.+)$`, 'm').exec(readFileSync(join(this.folder, '.env'), 'utf8'))?.[1];
    if (value === undefined) throw new Error(`.env has no ${name}`);
    return value;
  }

  /** Variables for the command line, the simulator and requests: the published ports. */
  get addresses() {
    return {
      POPSVC_OPS_URL: 'http://127.0.0.1:8082',
      POPSVC_INGEST_URL: 'http://127.0.0.1:8081',
      POPSVC_QUERY_URL: 'http://127.0.0.1:8080',
      POPSVC_OPERATOR_TOKEN: this.#operatorToken,
    };
  }

  /** Sets the version of the project, which is the tag of its images, and builds them on the stand-in of Node.js. */
  async buildImages(version: string): Promise<void> {
    await run(process.execPath, ['tools/build/set-version.mjs', version], this.folder);
    const dockerfile = readFileSync(join(this.folder, 'Dockerfile'), 'utf8')
      .replace(/^# syntax.*$/m, '')
      .replaceAll(/^FROM node:\S+/gm, `FROM ${nodeStandIn}`);
    const path = join(this.folder, '../Dockerfile');
    writeFileSync(path, dockerfile);
    for (const service of services)
      await this.docker(
        ...['build', '--quiet', '--network', 'host', '--target', service],
        ...['--tag', `popsvc/${service}:${version}`, '--file', path, '.'],
      );
  }

  async inspect(service: string): Promise<ContainerState> {
    const [state] = JSON.parse(await this.docker('inspect', `${projectName}-${service}-1`)) as ContainerState[];
    return state!;
  }

  inspectAll = (): Promise<readonly ContainerState[]> => Promise.all(containers.map((name) => this.inspect(name)));

  kill = (service: string): Promise<string> => this.docker('kill', '--signal', 'KILL', `${projectName}-${service}-1`);
  start = (service: string): Promise<string> => this.docker('start', `${projectName}-${service}-1`);
  execute = (service: string, ...command: readonly string[]): Promise<string> =>
    this.docker('exec', `${projectName}-${service}-1`, ...command);

  /** Waits until containers are healthy, and resolves with the seconds this took. */
  async waitUntilHealthy(names: readonly string[] = containers): Promise<number> {
    const began = performance.now();
    const readHealth = async (name: string) => `${name}: ${(await this.inspect(name)).State.Health?.Status}`;
    await waitUntil(
      () => Promise.all(names.map(readHealth)),
      (states) => states.every((state) => state.endsWith(': healthy')),
      300_000,
      250,
    );
    return Math.round((performance.now() - began) / 100) / 10;
  }

  /** `docker compose up -d`, and waits as `waitUntilHealthy` does; the seconds include both. */
  async up(): Promise<number> {
    const began = performance.now();
    await this.compose('up', '--detach', '--no-build');
    await this.waitUntilHealthy();
    return Math.round((performance.now() - began) / 100) / 10;
  }

  /** The state and the last log lines of every container, for the report of a failure. */
  async describe(): Promise<string> {
    const list = await this.compose('ps', '--all', '--format', 'table {{.Service}}\t{{.Status}}').catch(String);
    return `${list}\n${await this.compose('logs', '--tail', '15', '--no-color').catch(String)}`;
  }

  /** What Docker has of the project: containers, volumes and networks. */
  async listParts(): Promise<readonly string[]> {
    const filter = ['--quiet', '--filter', `label=com.docker.compose.project=${projectName}`];
    const lists = [
      this.docker('container', 'ls', '--all', ...filter),
      this.docker('volume', 'ls', ...filter),
      this.docker('network', 'ls', ...filter),
    ];
    return (await Promise.all(lists)).join('').split('\n').filter(Boolean);
  }

  /** Removes containers, networks, volumes, the images of the given versions, and the folder. */
  async remove(versions: readonly string[]): Promise<void> {
    await this.compose('down', '--volumes', '--timeout', '5').catch(() => undefined);
    for (const version of versions)
      for (const service of services)
        await this.docker('image', 'rm', `popsvc/${service}:${version}`).catch(() => undefined);
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The TCP ports on which processes in the containers listen, without those on loopback of the container. */
  async readInnerPorts(): Promise<readonly number[]> {
    const tables = await Promise.all(
      containers.map((name) => this.execute(name, 'sh', '-c', 'cat /proc/net/tcp /proc/net/tcp6')),
    );
    const listening = tables.join('\n').matchAll(/: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:0000 0A /g);
    const ports = [...listening]
      // The bytes of 127.x.x.x are in reverse order.
      .filter(([, address]) => !/^[0-9A-F]{6}7F$/.test(address!))
      .map(([, , port]) => Number.parseInt(port!, 16));
    return [...new Set(ports)].sort((one, other) => one - other);
  }
}

/** Resolves with the installation, with images of the given version and secrets, before its first start. */
export const prepareInstallation = async (version: string, allVersions: readonly string[]): Promise<Installation> => {
  const installation = new Installation();
  await installation.copyProject();
  await installation.makeSecrets();
  // Left by a run that was killed.
  await installation.compose('down', '--volumes', '--timeout', '5');
  addCleanUp(() => installation.remove(allVersions));
  await installation.buildImages(version);
  return installation;
};

/** The name of the container that creates the login of the services, and then ends. */
export const loginJob = jobs[0];

const accepts = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2_000 });
    const end = (isAccepted: boolean) => () => {
      socket.destroy();
      resolve(isAccepted);
    };
    socket.once('connect', end(true)).once('error', end(false)).once('timeout', end(false));
  });

/** The ports of this machine that accept connections on an address. */
export const findOpenPorts = async (host: string, ports: readonly number[]): Promise<readonly number[]> => {
  const results = await Promise.all(ports.map(async (port) => [port, await accepts(host, port)] as const));
  return results.filter(([, isOpen]) => isOpen).map(([port]) => port);
};

/** An address of this machine that is not loopback. */
export const outerAddress = (): string => {
  const address = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
  if (address === undefined) throw new Error('this machine has no address other than loopback');
  return address;
};
