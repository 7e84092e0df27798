import { readFileSync } from 'node:fs';
import {
  BACKWARDS,
  convertToCommandError,
  END,
  EventStoreDBClient,
  jsonEvent,
  LoginConflictError,
  NO_STREAM,
  SETTINGS_STREAM,
} from '@eventstore/db-client';
import { UsersClient } from '@eventstore/db-client/generated/users_grpc_pb.js';
import users from '@eventstore/db-client/generated/users_pb.js';
import { withDeadline } from '../runtime/index.ts';
import type { EventStoreConnection, EventStoreLogin } from './connection-string.ts';
import { isStreamMissing, toEventStoreError } from './errors.ts';
import { grantRights, SystemSettings } from './system-settings.ts';

const timeoutMs = 10_000;

class AdministrationClient extends EventStoreDBClient {
  /** Creates a login without groups. Returns false and changes nothing if the login exists. */
  async createLogin({ username, password }: EventStoreLogin): Promise<boolean> {
    const options = new users.CreateReq.Options();
    options.setLoginName(username);
    options.setPassword(password);
    options.setFullName(username);
    const request = new users.CreateReq();
    request.setOptions(options);
    try {
      await this.execute(UsersClient, 'createUser', (client) => {
        const [metadata, callOptions] = this.callArguments({ requiresLeader: true });
        return new Promise<void>((resolve, reject) => {
          client.create(request, metadata, callOptions, (error) => {
            if (error) reject(convertToCommandError(error));
            else resolve();
          });
        });
      });
      return true;
    } catch (error) {
      if (error instanceof LoginConflictError) return false;
      throw error;
    }
  }

  async readSettings(): Promise<{ readonly revision: bigint | undefined; readonly settings: SystemSettings }> {
    const newest = { direction: BACKWARDS, fromRevision: END, maxCount: 1 } as const;
    try {
      for await (const { event } of this.readStream(SETTINGS_STREAM, newest))
        if (event) return { revision: event.revision, settings: SystemSettings.parse(event.data) };
    } catch (error) {
      if (!isStreamMissing(error)) throw error;
    }
    return { revision: undefined, settings: {} };
  }
}

const connectAs = (connection: EventStoreConnection, administrator: EventStoreLogin): AdministrationClient => {
  const { hosts, discoversByDns, options } = connection;
  const endpoints = hosts.map(({ host, port }) => ({ address: host, port }));
  const read = (path: string | undefined) => (path === undefined ? undefined : readFileSync(path));
  const [rootCertificate, userCertFile, userKeyFile] = [
    read(options.tlsCAFile),
    read(options.userCertFile),
    read(options.userKeyFile),
  ];
  const credentials = {
    ...(rootCertificate && { rootCertificate }),
    ...(userCertFile && { userCertFile }),
    ...(userKeyFile && { userKeyFile }),
  };
  if (discoversByDns) return new AdministrationClient({ discover: endpoints[0]! }, credentials, administrator);
  if (endpoints.length > 1) return new AdministrationClient({ endpoints }, credentials, administrator);
  return new AdministrationClient({ endpoint: endpoints[0]! }, credentials, administrator);
};

export interface GrantAccessOptions {
  /** The login in the connection is not used. TLS is required, because a server without TLS has no logins. */
  readonly connection: EventStoreConnection;
  readonly administrator: EventStoreLogin;
  readonly login: { readonly username: string; readonly password?: string | undefined };
}

export interface GrantedAccess {
  readonly login: string;
  readonly created: boolean;
  /** The rights that were added to the settings, such as `$userStreamAcl.$r`. */
  readonly changed: readonly string[];
  readonly settings: SystemSettings;
}

/** Throws EventStoreRejected or EventStoreUnavailable, or WrongExpectedVersion if the settings change at the same time. */
export const grantAccess = async ({ connection, administrator, login }: GrantAccessOptions): Promise<GrantedAccess> => {
  const client = connectAs(connection, administrator);
  const { username, password } = login;
  const grant = async (): Promise<GrantedAccess> => {
    const created = password !== undefined && (await client.createLogin({ username, password }));
    const { revision, settings: current } = await client.readSettings();
    const { settings, changed } = grantRights(current, username);
    if (changed.length > 0)
      await client.appendToStream(SETTINGS_STREAM, jsonEvent({ type: SETTINGS_STREAM, data: settings }), {
        expectedRevision: revision ?? NO_STREAM,
      });
    return { login: username, created, changed, settings };
  };
  try {
    return await withDeadline(grant(), timeoutMs, 'granting access');
  } catch (error) {
    throw toEventStoreError(error);
  } finally {
    await withDeadline(client.dispose(), 1_000).catch(() => undefined);
  }
};
