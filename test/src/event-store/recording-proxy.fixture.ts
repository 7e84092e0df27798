import {
  type ClientHttp2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  connect,
  constants,
  createServer,
} from 'node:http2';
import { type AddressInfo } from 'node:net';
import { describeHosts, parseConnectionString } from '@popsvc/platform/event-store';

/** A gRPC proxy that changes nothing and records which methods are called. */
export interface RecordingProxy {
  readonly url: string;
  readonly calls: string[];
  readonly close: () => void;
}

/** Forwards a gRPC call, with its trailers. */
export const forwardCall = (
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  upstream: ClientHttp2Session,
): void => {
  const request = upstream.request(headers);
  let trailers: IncomingHttpHeaders = {};
  request.on('response', (answer, flags) => {
    const endStream = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    stream.respond(answer, endStream ? { endStream } : { waitForTrailers: true });
  });
  request.on('trailers', (received) => (trailers = received as IncomingHttpHeaders));
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.on('error', () => request.close());
  request.on('error', () => stream.close());
  stream.on('close', () => request.close());
  stream.pipe(request);
  request.pipe(stream);
};

export const recordingProxy = async (target: string): Promise<RecordingProxy> => {
  const calls: string[] = [];
  const [host] = parseConnectionString(target).hosts;
  const upstream = connect(`http://${describeHosts({ hosts: [host!] })}`);
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    calls.push(String(headers[':path']).replace(/^\/event_store\.client\./, ''));
    forwardCall(stream, headers, upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    calls,
    close: () => {
      upstream.destroy();
      for (const session of sessions) session.destroy();
      server.close();
    },
  };
};
