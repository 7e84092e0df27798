// cspell:ignore AAMAAA
import { jsonResponse } from '@popsvc/http-kit/server';
import { expect } from 'chai';
import { rawRequest } from '../http/raw-request.fixture.ts';
import { get, post, serve, type TestServer } from '../http/server.fixture.ts';
import { wrongHeaders } from './protective-headers.ts';

const host = 'Host: x\r\n';
const sent = (line: string, ...headers: readonly string[]) =>
  [line, ...headers, 'Connection: close', '', ''].join('\r\n');
const posted = (body: string, ...headers: readonly string[]) =>
  `${sent('POST /things HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...headers)}${body}`;

/** Requests and their expected status; undefined: the connection is closed without a response. */
const requests: Readonly<Record<string, readonly [string, number | undefined]>> = {
  'no Host': [sent('GET /things/1 HTTP/1.1'), 400],
  'no Host in HTTP/1.0, which has none': [sent('GET /things/1 HTTP/1.0'), 200],
  TRACE: [sent('TRACE /things/1 HTTP/1.1', 'Host: x'), 405],
  CONNECT: [sent('CONNECT inside:2113 HTTP/1.1', 'Host: x'), undefined],
  'OPTIONS of everything': [sent('OPTIONS * HTTP/1.1', 'Host: x'), 404],
  'the address of another server': [sent('GET //inside:2113/things/1 HTTP/1.1', 'Host: x'), 404],
  'HTTP/2 at once': ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
  'an unsupported upgrade': [
    sent('GET /things/1 HTTP/1.1', 'Host: x', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABk').replace('close', 'Upgrade'),
    200,
  ],
  'an unsupported expectation': [posted('{}', 'Content-Length: 2', 'Expect: 200-maybe'), 200],
  'lines that end in a line feed alone': [`GET /things/1 HTTP/1.1\n${host}\n`, 400],
  'a NUL in a header': [sent('GET /things/1 HTTP/1.1', 'Host: x', 'X: a\0b'), 400],
  'a space before the colon of a header': [sent('GET /things/1 HTTP/1.1', 'Host: x', 'X-A : 1'), 400],
  'a header that goes on in the next line': [sent('GET /things/1 HTTP/1.1', 'Host: x', 'X-A: 1', ' 2'), 400],
  'two Host headers': [sent('GET /things/1 HTTP/1.1', 'Host: x', 'Host: y'), 400],
  'the same Host header twice': [sent('GET /things/1 HTTP/1.1', 'Host: x', 'hOST: x'), 400],
  'six thousand headers': [sent('GET /things/1 HTTP/1.1', 'Host: x', ...Array<string>(6_000).fill('X-Long: 123')), 431],
  'a length and chunks': [posted('0\r\n\r\n', 'Content-Length: 2', 'Transfer-Encoding: chunked'), 400],
  'chunks that are not the last coding': [posted('{}', 'Transfer-Encoding: chunked, identity'), 400],
  'two lengths': [posted('{}', 'Content-Length: 2', 'Content-Length: 3'), 400],
  'a length below zero': [posted('{}', 'Content-Length: -1'), 400],
  'a length past all numbers': [posted('{}', 'Content-Length: 99999999999999999999'), 400],
  'a chunk with an endless extension': [
    posted(`2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`, 'Transfer-Encoding: chunked'),
    400,
  ],
  'a chunk longer than any': [posted('ffffffffffffffff\r\n{}', 'Transfer-Encoding: chunked'), 408],
  'trailers that bring a credential': [
    posted('2\r\n{}\r\n0\r\nAuthorization: Bearer x\r\n\r\n', 'Transfer-Encoding: chunked'),
    200,
  ],
};

const headersIn = (answer: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    answer
      .split('\r\n\r\n')[0]!
      .split('\r\n')
      .slice(1)
      .map((line) => /^([^:]+): (.*)$/.exec(line)!.slice(1) as [string, string]),
  );

describe('malformed requests', () => {
  let at: TestServer;
  before(async () => {
    at = await serve(
      [
        get('/things/:id', ({ params }) => jsonResponse(200, params)),
        post('/things', (context) =>
          jsonResponse(200, { body: context.body, authorization: context.header('authorization') }),
        ),
      ],
      // The server also ends the connections that a request keeps open.
      { limits: { bodyTimeoutMs: 500, keepAliveTimeoutMs: 500 } },
    );
  });
  after(() => at.server.close());

  for (const [what, [text, due]] of Object.entries(requests))
    it(`${what}: ${due ?? 'no response'}`, async () => {
      const answer = await rawRequest(at.port, text);
      if (due === undefined) {
        expect(answer).to.equal('');
        return;
      }
      expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${due} `));
      expect(answer.match(/^HTTP\/1\.1 /gm), 'one answer').to.have.length(1);
      expect(wrongHeaders({ path: '/api/', headers: headersIn(answer) })).to.equal(undefined);
      if (due >= 400) expect(answer).to.match(/"error":\{"code":"[A-Z_]+"/);
      expect(answer).to.not.include('Bearer');
    });

  it('do not impair the server', async () => {
    expect((await fetch(`${at.baseUrl}/things/1`)).status).to.equal(200);
    expect(at.logged.filter((line) => /"level":[45]0/.test(line))).to.deep.equal([]);
  });
});
