// cspell:ignore jsonx
import { readFile } from 'node:fs/promises';
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { type CommandApiProcess, smallHeap, startCommandApi } from './command-api-process.fixture.ts';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { expectApiError, play, popPath, type Sender, sender, type Sending } from './sender.fixture.ts';

const mib = 1_048_576;
const limit = 5 * mib;
const coded = (coding: string): Sending => ({ headers: { 'Content-Encoding': coding } });
const typed = (type: string): Sending => ({ headers: { 'Content-Type': type } });
/** A valid request of exactly `bytes` bytes. */
const ofBytes = (bytes: number) => {
  const events = Array.from({ length: 20 }, () => ({ ...play(), context: { text: '' } }));
  const text = 'x'.repeat(Math.floor((bytes - JSON.stringify({ events }).length) / 20));
  for (const event of events) event.context = { text };
  const body = JSON.stringify({ events });
  return body + ' '.repeat(bytes - body.length);
};

describe('command-api: hostile bodies', function () {
  let api: TestCommandApi;
  let service: CommandApiProcess;
  let send: Sender;
  before(async () => {
    api = await commandApi();
    service = await startCommandApi(api.node.url, api.databaseUrl, smallHeap);
    send = sender(service.baseUrl, (await api.newKey()).apiKey);
  });
  after(async () => {
    await service.stop();
    await api.close();
  });

  /** Resident memory of the service, MiB. */
  const resident = async () => {
    const status = await readFile(`/proc/${service.part.pid()!}/status`, 'utf8').catch(() => '');
    return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024;
  };
  const isWell = async () => expect((await send(popPath, { events: [play()] })).status).to.equal(202);

  for (const [what, body] of [
    ['nothing', ''],
    ['half an object', '{"events": ['],
    ['a trailing comma', '{"events": [],}'],
    ['two values', '{} {}'],
    ['NaN', '{"events": [NaN]}'],
    ['a comment', '{/* */"events": []}'],
    ['a bare control character', '{"events": ["\u0001"]}'],
    ['a lone surrogate', '{"events": [{"eventId": "\\ud800"}]}'],
    ['invalid UTF-8', Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])],
    ['UTF-8 that is too long for what it says', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['UTF-16', Buffer.from('{"events": []}', 'utf16le')],
    ['__proto__', '{"events": [], "__proto__": {"polluted": true}}'],
    ['__proto__ deep inside, escaped', '{"events": [{"context": {"\\u005f_proto__": {"polluted": true}}}]}'],
    ['constructor.prototype', '{"events": [{"context": {"constructor": {"prototype": {"polluted": true}}}}]}'],
    ['33 levels', `{"events":${'['.repeat(32)}${']'.repeat(32)}}`],
    ['a million levels, never closed', '['.repeat(1_000_000)],
    ['levels of objects', '{"a":'.repeat(100_000)],
  ] as const)
    it(`rejects ${what} as INVALID_REQUEST`, async () => {
      expectApiError(await send(popPath, body), 400, 'INVALID_REQUEST', []);
      expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
    });

  it('rejects JSON that cannot be stored with another message than invalid JSON', async () => {
    const messageTo = async (body: string) => ((await send(popPath, body)).body as { message: string }).message;
    for (const body of ['{"events": [{"eventId": "\\ud800"}]}', '{"events": [], "__proto__": {}}'])
      expect(await messageTo(body)).to.match(/^The body contains a lone surrogate or a reserved key/);
    expect(await messageTo('{"__proto__": }')).to.equal(
      'The body is not valid JSON: unexpected "}" at line 1, column 15, in `{"__proto__": }`',
    );
  });

  it('accepts 100,000 keys, and rejects one more by name of the limit', async () => {
    const context = Object.fromEntries(Array.from({ length: 9_900 }, (_, index) => [`k${index}`, 1]));
    const events = Array.from({ length: 10 }, () => play({ context }));
    const keys = 1 + 10 * (9_900 + Object.keys(events[0]!).length);
    const ofKeys = (count: number) => {
      const more = Object.fromEntries(Array.from({ length: count - keys - 7 }, (_, index) => [`k${index}`, 1]));
      return { events: [...events, play({ context: more })] };
    };
    expect((await send(popPath, ofKeys(100_000))).status).to.equal(202);
    const refused = await send(popPath, ofKeys(100_001));
    expectApiError(refused, 400, 'INVALID_REQUEST', []);
    expect(refused.body.message).to.equal('The body contains more than 100000 keys.');
  });

  it('lists the first 100 unknown fields', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, 1]));
    for (const body of [{ events: [play()], ...unknown }, { events: [{ ...play(), ...unknown }] }]) {
      const { status, body: reply } = await send(popPath, body);
      expect(status).to.equal(400);
      expect(reply.error?.details).to.have.length(100);
      expect(reply.error?.details[99]).to.deep.include({ message: 'is not a known field' });
    }
  });

  it('refuses large bodies of a key for a while after it sent many that were refused', async () => {
    const { apiKey } = await api.newKey();
    const attacker = sender(service.baseUrl, apiKey);
    const body = gzipSync(JSON.stringify({ events: [], text: 'x'.repeat(4_500_000) }), { level: 1 });
    const statuses: number[] = [];
    while (statuses.at(-1) !== 429 && statuses.length < 40)
      statuses.push((await attacker(popPath, body, coded('gzip'))).status);
    expect(statuses.slice(0, -1)).to.deep.equal(statuses.slice(1).map(() => 400));
    expect(statuses.at(-1)).to.equal(429);
    expect((await attacker(popPath, { events: [play()] })).status, 'a small body').to.equal(202);
    await isWell();
  });

  it('accepts 32 levels, brackets in strings, and a byte order mark', async () => {
    const context = JSON.parse(`{"a":${'['.repeat(28)}${']'.repeat(28)},"b":"${'['.repeat(100)}\\""}`) as unknown;
    expect((await send(popPath, { events: [play({ context })] })).status).to.equal(202);
    expect((await send(popPath, `\uFEFF${JSON.stringify({ events: [play()] })}`)).status).to.equal(202);
  });

  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json; charset=latin1',
    '',
  ])
    it(`responds 415 to the content type "${type}"`, async () => {
      expectApiError(await send(popPath, { events: [play()] }, typed(type)), 415, 'UNSUPPORTED_MEDIA_TYPE', []);
    });
  for (const type of ['application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"', 'application/json ; v=1'])
    it(`accepts the content type ${type}`, async () => {
      expect((await send(popPath, { events: [play()] }, typed(type))).status).to.equal(202);
    });

  for (const [coding, pack] of [
    ['gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['identity', (bytes: Buffer) => bytes],
  ] as const)
    it(`accepts ${coding} (${pack.name || 'identity'})`, async () => {
      const body = Buffer.from(JSON.stringify({ events: [play(), play()] }));
      expect((await send(popPath, pack(body), coded(coding))).body.eventCount).to.equal(2);
    });

  it('responds 415 to other encodings and 400 to broken ones', async () => {
    const body = Buffer.from(JSON.stringify({ events: [play()] }));
    for (const coding of ['zstd', 'gzip, gzip', 'constructor', 'x'])
      expectApiError(await send(popPath, body, coded(coding)), 415, 'UNSUPPORTED_MEDIA_TYPE', []);
    expectApiError(await send(popPath, body, coded('gzip')), 400, 'INVALID_REQUEST', []);
    const plain = await send(popPath, body, coded('br'));
    expectApiError(plain, 400, 'INVALID_REQUEST', []);
    expect(plain.body.message).to.include('another format than Content-Encoding names');
    expectApiError(await send(popPath, gzipSync(body).subarray(0, -9), coded('gzip')), 400, 'INVALID_REQUEST', []);
  });

  it('accepts exactly 5 MiB, compressed or not, and rejects one byte more', async () => {
    const [full, over] = [Buffer.from(ofBytes(limit)), Buffer.from(ofBytes(limit + 1))];
    expect(full.length).to.equal(limit);
    expect((await send(popPath, full)).status).to.equal(202);
    expect((await send(popPath, gzipSync(full), coded('gzip'))).status).to.equal(202);
    expectApiError(await send(popPath, over), 413, 'PAYLOAD_TOO_LARGE', []);
    expectApiError(await send(popPath, gzipSync(over), coded('gzip')), 413, 'PAYLOAD_TOO_LARGE', []);
  });

  it('rejects a body of unknown length as soon as it is too long', async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += mib;
        if (sent > 64 * mib) controller.close();
        else controller.enqueue(new Uint8Array(mib).fill(0x20));
      },
    });
    const { apiKey } = await api.newKey();
    const init: RequestInit & { readonly duplex: 'half' } = {
      method: 'POST',
      body: endless,
      duplex: 'half',
      headers: { 'X-API-Key': apiKey, 'Content-Type': 'application/json' },
    };
    const outcome = await fetch(service.baseUrl + popPath, init).then(
      ({ status }) => status,
      () => 'cut off',
    );
    expect(outcome).to.be.oneOf([413, 'cut off']);
    expect(sent).to.be.lessThan(64 * mib);
    await isWell();
  });

  /** Memory growth of the service, in MiB, after several rounds of each body four times at once. */
  const growth = async (bodies: readonly (readonly [Buffer, Sending, number])[], rounds: number) => {
    await isWell();
    const before = await resident();
    let most = 0;
    for (let round = 0; round < rounds; round++)
      for (const [body, sending, due] of bodies) {
        // Each request has a key of its own: the refused bodies of one key are limited.
        const keys = await Promise.all(Array.from({ length: 4 }, () => api.newKey()));
        const replies = await Promise.all(
          keys.map(({ apiKey }) => sender(service.baseUrl, apiKey)(popPath, body, sending)),
        );
        expect(new Set(replies.map(({ status }) => status))).to.deep.equal(new Set([due]));
        most = Math.max(most, await resident());
      }
    await isWell();
    return most - before;
  };

  it('handles gzip bombs of 100 MiB in bounded memory', async () => {
    const blank = Buffer.alloc(100 * mib, 0x20);
    const bombs = [
      [gzipSync(blank), coded('gzip'), 413],
      [deflateSync(blank), coded('deflate'), 413],
      [brotliCompressSync(blank, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }), coded('br'), 413],
    ] as const;
    expect(await growth(bombs, 5)).to.be.lessThan(100);
  });

  it('handles deep nesting, a million events and a million fields in bounded memory', async () => {
    const bodies = [
      [Buffer.from('['.repeat(5 * mib)), {}, 400],
      [Buffer.from(`{"events":[${'{},'.repeat(1_700_000)}{}]}`), {}, 400],
      [Buffer.from(`{"events":[{${'"a":1,'.repeat(800_000)}"b":2}]}`), {}, 400],
    ] as const;
    // Four bodies of 5 MiB at a time: as bytes, as text and parsed, plus garbage not yet collected.
    expect(await growth(bodies, 4)).to.be.lessThan(200);
  });
});
