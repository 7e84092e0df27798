import { connect, createSecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import { BACKWARDS, END, EventStoreDBClient, StreamNotFoundError } from '@eventstore/db-client';
import users from '@eventstore/db-client/generated/users_pb.js';
import { forwardCall } from './recording-proxy.fixture.ts';

interface Settings {
  readonly $systemStreamAcl?: { readonly $r?: readonly string[] };
}

interface LoginProxySettings {
  /** Port of an embedded node on this machine. */
  readonly nodePort: number;
  readonly host: string;
  readonly port: number;
  readonly key: Buffer;
  readonly cert: Buffer;
  /** Passwords by login; `admin` and `ops` are administrators. The proxy adds those that administrators create. */
  readonly logins: Map<string, string>;
  readonly onLoginCreated?: () => void;
}

/** A proxy with TLS in front of an embedded node that checks logins the way EventStoreDB does. */
export interface LoginProxy {
  readonly port: number;
  /** The contents of all events in `$settings`. */
  readonly readSettings: () => Promise<readonly unknown[]>;
  readonly close: () => Promise<void>;
}

const grpcHeaders = { ':status': 200, 'content-type': 'application/grpc' };
const refuse = (stream: ServerHttp2Stream, code: number, message: string, trailers: Record<string, string> = {}) => {
  stream.respond(
    { ...grpcHeaders, 'grpc-status': String(code), 'grpc-message': message, ...trailers },
    { endStream: true },
  );
};

const loginOf = ({ authorization = '' }: IncomingHttpHeaders): readonly [string, string] => {
  const [user = '', password = ''] = Buffer.from(authorization.replace(/^Basic /, ''), 'base64')
    .toString()
    .split(':');
  return [user, password];
};

const [alreadyExists, permissionDenied, unavailable, unauthenticated] = [6, 7, 14, 16];
const frameHeaderBytes = 5;
const administrators: readonly string[] = ['admin', 'ops'];

export const startLoginProxy = async ({
  nodePort,
  host,
  port,
  key,
  cert,
  logins,
  onLoginCreated,
}: LoginProxySettings): Promise<LoginProxy> => {
  const reader = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${nodePort}?tls=false`);
  const readSettings = async (): Promise<readonly unknown[]> => {
    const found: unknown[] = [];
    try {
      for await (const { event } of reader.readStream('$settings', { direction: BACKWARDS, fromRevision: END }))
        if (event) found.unshift(event.data);
    } catch (error) {
      if (!(error instanceof StreamNotFoundError)) throw error;
    }
    return found;
  };
  const mayReadAll = async (user: string) =>
    administrators.includes(user) ||
    ((await readSettings()).at(-1) as Settings | undefined)?.$systemStreamAcl?.$r?.includes(user);

  const createLogin = (stream: ServerHttp2Stream) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const request = users.CreateReq.deserializeBinary(Buffer.concat(chunks).subarray(frameHeaderBytes));
      const { loginName, password } = request.getOptions()!.toObject();
      if (logins.has(loginName)) {
        refuse(stream, alreadyExists, 'conflict', { exception: 'user-conflict', 'login-name': loginName });
        return;
      }
      logins.set(loginName, password);
      onLoginCreated?.();
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      stream.respond(grpcHeaders, { waitForTrailers: true });
      stream.end(Buffer.alloc(frameHeaderBytes));
    });
  };

  const upstream = connect(`http://127.0.0.1:${nodePort}`);
  const sockets = new Set<Socket>();
  const server = createSecureServer({ key, cert });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  const serve = async (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    const path = String(headers[':path']);
    const [user, password] = loginOf(headers);
    if (path === '/health/live') stream.respond({ ':status': 204 }, { endStream: true });
    else if (headers.authorization !== undefined && logins.get(user) !== password)
      refuse(stream, unauthenticated, 'Authentication failed');
    else if (path.endsWith('.Users/Create') && administrators.includes(user)) createLogin(stream);
    else if (/\.Users\/|\.Streams\/Read$/.test(path) && !(await mayReadAll(user)))
      refuse(stream, permissionDenied, 'Access Denied', { exception: 'access-denied' });
    else forwardCall(stream, headers, upstream);
  };
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    serve(stream, headers).catch((error: unknown) => refuse(stream, unavailable, String(error)));
  });
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    readSettings,
    async close() {
      await reader.dispose();
      upstream.destroy();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
};
