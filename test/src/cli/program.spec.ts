import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createEscapingTransform, formatTable } from '@popsvc/cli/output';
import { commandExamples, createProgram } from '@popsvc/cli/program';
import { expect } from 'chai';
import { json, scriptedServer } from '../client/scripted-server.fixture.ts';
import { operatorToken, startTestOps, type TestOps } from '../ops-api/ops.fixture.ts';
import { createPopsvcCommand, type Popsvc, popsvcBin, temporaryFolder } from '@popsvc/tools/rig';
import { popsvcFor, popsvcInProcess } from './popsvc.fixture.ts';

type Program = ReturnType<typeof createProgram>;

/** The innermost command that the words name, and the words after it. */
const findCommand = (command: Program, words: readonly string[]): readonly [Program, readonly string[]] => {
  const next = command.commands.find((child) => child.name() === words[0]);
  return next ? findCommand(next, words.slice(1)) : [command, words];
};

const asProcess = createPopsvcCommand({});
/** For cases that differ only in their arguments: a process takes half a second each. */
const inProcess = popsvcInProcess({});

// cspell:ignore registri dryrun
describe('popsvc', () => {
  for (const [index, args] of [
    [],
    ['registry'],
    ['registri', 'apply', 'x'],
    ['registry', 'apply'],
    ['registry', 'apply', 'x', 'y'],
    ['registry', 'apply', 'x', '--dryrun'],
    ['api-keys', 'create', '--network', '1'],
    ['api-keys', 'create', '--network', 'one', '--vendor', 'a'],
    ['api-keys', 'create', '--network', '1', '--vendor', 'a', '--requests-per-second', '0'],
    ['api-keys', 'create', '--network', '1', '--vendor', 'a', '--expires', '2027-01-01'],
    ['clients', 'create', '--networks', '1,,2'],
    ['projections', 'list', '--network', '1'],
    ['jobs', 'list', '--status', 'done'],
  ].entries())
    it(`exits with 2 on wrong usage: popsvc ${args.join(' ')}`, async () => {
      const { code, stdout, stderr } = await (index < 2 ? asProcess : inProcess)(...args);
      expect([code, stdout]).to.deep.equal([2, '']);
      expect(stderr).not.to.equal('');
    });

  it('prints help without a service, on standard output, and exits with 0', async () => {
    for (const [popsvc, ...args] of [
      [asProcess, '--help'],
      [inProcess, 'registry', 'apply', '--help'],
      [inProcess, 'help', 'import'],
    ] as const) {
      const { code, stdout } = await popsvc(...args);
      expect([code, stdout.includes('Usage: popsvc')], args.join(' ')).to.deep.equal([0, true]);
    }
  });

  it('shows examples in the help of each command, with its arguments and options', () => {
    const program = createProgram({});
    expect(Object.keys(commandExamples)).to.deep.equal(program.commands.map((command) => command.name()));
    for (const example of Object.values(commandExamples).flat()) {
      const [line = ''] = example.split(' >');
      const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');
      const [command, args] = findCommand(program, words);
      const { operands, unknown } = command.parseOptions([...args]);
      expect(command.commands, example).to.deep.equal([]);
      expect(
        unknown.filter((word) => word !== '--json'),
        example,
      ).to.deep.equal([]);
      expect(operands, example).to.have.length(command.registeredArguments.filter(({ required }) => required).length);
      for (const option of command.options.filter(({ mandatory }) => mandatory))
        expect(command.getOptionValue(option.attributeName()), `${example}: ${option.long}`).not.to.equal(undefined);
    }
  });

  it('prints its version', async () => {
    const file = new URL('../../../cli/package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    expect(await asProcess('--version')).to.deep.equal({ code: 0, stdout: `${version}\n`, stderr: '' });
  });

  it('exits with 0 if the reader of its output closes the pipe', async () => {
    const child = spawn(process.execPath, [popsvcBin, '--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    expect([code, stderr]).to.deep.equal([0, '']);
  });

  it('explains how to locate a service if none is known', async () => {
    const { code, stdout, stderr } = await asProcess('projections', 'list');
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('POPSVC_OPS_URL').and.to.include('DATA_DIR');
  });

  it('reports that a service does not answer', async () => {
    const unreachable = createPopsvcCommand({ POPSVC_OPS_URL: 'http://127.0.0.1:9', POPSVC_OPERATOR_TOKEN: 'x' });
    const { code, stderr } = await unreachable('projections', 'list');
    expect(code).to.equal(1);
    expect(stderr).to.match(/^popsvc: http:\/\/127\.0\.0\.1:9 does not answer/);
  });

  for (const address of ['localhost:8082', 'ops', 'ftp://ops'])
    it(`rejects ${address} as the address of a service`, async () => {
      const popsvc = popsvcInProcess({ POPSVC_OPS_URL: address, POPSVC_OPERATOR_TOKEN: 'x' });
      const { code, stdout, stderr } = await popsvc('projections', 'list');
      expect([code, stdout]).to.deep.equal([1, '']);
      expect(stderr).to.match(/^popsvc: .* http:\/\/localhost:8082, but POPSVC_OPS_URL is ".*"\.\n$/);
    });

  it('sends the operator token unchanged, and addresses with or without a slash at the end', async () => {
    const server = await scriptedServer(() => json(200, []));
    const token = `${operatorToken}//`;
    for (const url of [server.url, `${server.url}/`]) {
      const popsvc = popsvcInProcess({ POPSVC_OPS_URL: url, POPSVC_OPERATOR_TOKEN: token });
      expect((await popsvc('projections', 'list')).code).to.equal(0);
    }
    const [first, second] = server.requests;
    expect(first?.headers.authorization).to.equal(`Bearer ${token}`);
    expect(second?.path).to.equal(first?.path);
    await server.close();
  });

  describe('with a service on this machine', () => {
    let system: TestOps;
    let dataDir: string;
    before(async () => {
      system = await startTestOps();
      dataDir = join(await temporaryFolder('data'), '.data');
      await mkdir(dataDir);
      const demo = { ops_base_url: 'http://127.0.0.1:9', operator_token: operatorToken };
      await writeFile(join(dataDir, 'demo-credentials.json'), JSON.stringify(demo));
      await writeFile(join(dataDir, 'endpoints.json'), JSON.stringify({ ops_base_url: `${system.baseUrl}/` }));
    });
    after(() => system.close());

    it('locates it in DATA_DIR, by default ./.data', async () => {
      for (const popsvc of [
        createPopsvcCommand({ DATA_DIR: dataDir }),
        createPopsvcCommand({ DATA_DIR: '' }, join(dataDir, '..')),
      ])
        expect((await popsvc('projections', 'list')).stdout).to.include('coffee');
    });

    it('prefers the environment to DATA_DIR', async () => {
      const wrongToken = createPopsvcCommand({ DATA_DIR: dataDir, POPSVC_OPERATOR_TOKEN: 'another-token' });
      const { code, stderr } = await wrongToken('projections', 'list');
      expect([code, stderr.trim()]).to.deep.equal([1, 'popsvc: The operator token is not valid.']);
    });

    it('names a damaged file', async () => {
      const damaged = join(await temporaryFolder('data'), '.data');
      await mkdir(damaged);
      await writeFile(join(damaged, 'endpoints.json'), '{');
      const { code, stderr } = await createPopsvcCommand({ DATA_DIR: damaged })('projections', 'list');
      expect(code).to.equal(1);
      expect(stderr).to.include(join(damaged, 'endpoints.json'));
    });
  });
});

describe('formatTable', () => {
  it('aligns columns by the width of characters in a terminal', () => {
    const rows = [
      { id: 1, name: '東京', site: null },
      { id: 20, name: 'Quay', site: { id: 2 } },
    ];
    expect(formatTable(rows, ['id', 'name', 'site'], 'none')).to.equal(
      ['ID  NAME  SITE', '1   東京  -', '20  Quay  {"id":2}'].join('\n'),
    );
    expect(formatTable([], ['id'], 'none')).to.equal('none');
  });

  it('escapes control characters, and line breaks within a cell', () => {
    const rows = [{ id: 1, name: '\u001b[2J\u009b2J two\nlines' }];
    expect(formatTable(rows, ['id', 'name'], 'none')).to.equal(
      ['ID  NAME', String.raw`1   \u001b[2J\u009b2J two\u000alines`].join('\n'),
    );
  });
});

describe('output with control characters', () => {
  /** ESC ] 0 sets the title of a terminal; U+009B begins a control sequence as ESC [ does. */
  const hostile = 'title \u001b]0;x\u0007 \u009b2J\nend';
  const escaped = String.raw`title \u001b]0;x\u0007 \u009b2J`;
  let server: Server;
  let response: unknown;
  let popsvc: Popsvc;
  before(async () => {
    server = createServer((_, res) => {
      const isError = typeof response === 'object' && response !== null && 'error' in response;
      res.writeHead(isError ? 409 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    popsvc = popsvcFor({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  });
  after(() => server.close());

  it('escapes them in errors and keeps line breaks', async () => {
    response = { message: hostile, error: { code: 'CONFLICT', details: [] } };
    expect((await popsvc('projections', 'list')).stderr).to.equal(`popsvc: ${escaped}\nend\n`);
  });

  it('escapes them in JSON, which stays equal when it is parsed', async () => {
    response = [{ name: hostile }];
    const { stdout } = await popsvc('projections', 'list', '--json');
    expect(stdout).to.include(String.raw`${escaped}\nend`);
    expect(JSON.parse(stdout)).to.deep.equal(response);
  });

  it('escapes them in a stream for a terminal, also if a chunk ends within a character', async () => {
    const bytes = Buffer.from(`${hostile.slice(0, -3)}é`);
    const chunks = Readable.from([...bytes].map((byte) => Buffer.from([byte])));
    expect(await text(chunks.pipe(createEscapingTransform()))).to.equal(`${escaped}\né`);
  });
});
