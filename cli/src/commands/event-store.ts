import { existsSync } from 'node:fs';
import type { EventStoreConnection, EventStoreLogin, GrantedAccess } from '@popsvc/platform/event-store';
import type { Command } from 'commander';
import pRetry from 'p-retry';
import { parseWholeNumber } from '../option-values.ts';
import { CliError } from '../output/cli-error.ts';
import { printResult } from '../output/print.ts';
import { findService } from '../service-client/find-service.ts';

/** Loading the adapter takes longer than running a command that does not need it. */
const loadAdapter = () => import('@popsvc/platform/event-store');

const parseConnection = async (url: string): Promise<EventStoreConnection> => {
  const { InvalidConnectionString, parseConnectionString } = await loadAdapter();
  try {
    return parseConnectionString(url);
  } catch (error) {
    if (error instanceof InvalidConnectionString) throw new CliError(`EVENTSTORE_URL: ${error.message}`);
    throw error;
  }
};

const findUrl = async (env: NodeJS.ProcessEnv): Promise<string> => {
  if (env['EVENTSTORE_URL']) return env['EVENTSTORE_URL'];
  const { engines } = await findService(env);
  const embedded = engines.find(({ name }) => name === 'event-store');
  if (embedded) return embedded.address;
  throw new CliError(
    'The address of the event store is unknown: set EVENTSTORE_URL, or DATA_DIR to the folder of a service on this machine with an embedded event store.',
  );
};

interface GrantOptions {
  readonly create?: boolean;
  readonly wait: number;
}

interface GrantRequest {
  readonly connection: EventStoreConnection;
  readonly administrator: EventStoreLogin;
  readonly login: { readonly username: string; readonly password?: string };
}

const readGrantRequest = async (
  env: NodeJS.ProcessEnv,
  given: string | undefined,
  { create = false }: GrantOptions,
  command: Command,
): Promise<GrantRequest> => {
  const url = env['EVENTSTORE_URL'];
  if (!url)
    throw new CliError(
      'Set EVENTSTORE_URL to the server. The embedded event store has no logins: it serves only the account of the service.',
    );
  const connection = await parseConnection(url);
  const { filesOf, usesTls } = await loadAdapter();
  const missing = filesOf(connection).find((path) => !existsSync(path));
  if (missing !== undefined) throw new CliError(`EVENTSTORE_URL names a file that does not exist: ${missing}`);
  if (!usesTls(connection))
    throw new CliError(
      'EVENTSTORE_URL has tls=false. A server without TLS has no logins, so there is nothing to grant.',
    );
  const password = env['EVENTSTORE_ADMIN_PASSWORD'];
  const administrator = password ? { username: env['EVENTSTORE_ADMIN_USER'] || 'admin', password } : connection.login;
  if (!administrator)
    return command.error(
      'error: set EVENTSTORE_ADMIN_PASSWORD (and EVENTSTORE_ADMIN_USER, default admin), or put the login of an administrator into EVENTSTORE_URL',
      { exitCode: 2 },
    );
  const username = given ?? (password ? connection.login?.username : undefined);
  if (!username)
    return command.error(
      'error: name the login, or put it into EVENTSTORE_URL and the password of an administrator into EVENTSTORE_ADMIN_PASSWORD',
      { exitCode: 2 },
    );
  if (!create) return { connection, administrator, login: { username } };
  if (!password || connection.login?.username !== username)
    return command.error(
      'error: --create needs the login with its password in EVENTSTORE_URL, and the password of an administrator in EVENTSTORE_ADMIN_PASSWORD',
      { exitCode: 2 },
    );
  return { connection, administrator, login: { username, password: connection.login.password } };
};

const retryPauseMs = 1_000;

const grantWithRetry = async (request: GrantRequest, waitSeconds: number): Promise<GrantedAccess> => {
  const { EventStoreUnavailable, grantAccess, WrongExpectedVersion } = await loadAdapter();
  const isRetried = (error: unknown) => error instanceof EventStoreUnavailable || error instanceof WrongExpectedVersion;
  try {
    return await pRetry(() => grantAccess(request), {
      retries: Number.POSITIVE_INFINITY,
      maxRetryTime: waitSeconds * 1_000,
      factor: 1,
      minTimeout: retryPauseMs,
      shouldRetry: ({ error }) => isRetried(error) && waitSeconds > 0,
    });
  } catch (error) {
    if (isRetried(error)) throw new CliError(`Nothing was granted: ${(error as Error).message}`);
    throw error;
  }
};

const describeGrant = ({ login, created, changed }: GrantedAccess): string =>
  [
    ...(created ? [`created the login ${login}`] : []),
    ...(changed.length === 0
      ? [`${login} has all rights already; nothing was changed`]
      : [`${login} may read $all, append to streams and read them`, `added to ${changed.join(', ')} in $settings`]),
  ].join('\n');

export const addEventStoreCommands = (program: Command, env: NodeJS.ProcessEnv): void => {
  const group = program.command('eventstore').description('the event store of the service');

  group
    .command('url')
    .description('the connection string of the event store, with its password if it has one')
    .action(async (_: object, command: Command) => {
      const url = await findUrl(env);
      const { describeHosts } = await loadAdapter();
      const { hosts, login } = await parseConnection(url);
      const value = { url, hosts: describeHosts({ hosts }).split(','), login: login?.username ?? null };
      printResult(command, { value, text: url });
    });

  group
    .command('grant')
    .description(
      'give a login of the external EventStoreDB the rights that the service needs: to read $all, and to append; EVENTSTORE_ADMIN_PASSWORD is the password of an administrator',
    )
    .argument('[login]', 'default: the login in EVENTSTORE_URL')
    .option('--create', 'create the login if it does not exist, with the password in EVENTSTORE_URL')
    .option('--wait <seconds>', 'how long to retry while the server does not answer', parseWholeNumber(0, 3_600), 0)
    .action(async (given: string | undefined, options: GrantOptions, command: Command) => {
      const request = await readGrantRequest(env, given, options, command);
      const value = await grantWithRetry(request, options.wait);
      printResult(command, { value, text: describeGrant(value) });
    });
};
