import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SentResponse, jsonResponse } from '@popsvc/http-kit/server';
import { buildOpenApiDocument } from '@popsvc/http-kit/openapi';
import { nameRunFolder } from '@popsvc/tools/rig';
import { expect } from 'chai';
import { z } from 'zod';
import { get } from '../http/server.fixture.ts';
import { answerCheck } from './answer-check.ts';
import { closedReplies } from './closed-replies.ts';

const description = { title: 'planted', description: 'One route.', groups: [] };
const route = get('/planted/:id', () => jsonResponse(200, {}), {
  operationId: 'getPlanted',
  errorCodes: ['NOT_FOUND'],
  schemas: {
    params: z.object({ id: z.string() }),
    responses: { 200: z.object({ count: z.int(), at: z.iso.datetime() }) },
  },
});
const documents = closedReplies([
  { name: 'planted', description, own: [route], routes: [route], document: buildOpenApiDocument(description, [route]) },
]);
const right = { count: 1, at: '2026-08-20T14:03:07.250Z' };
const refused = (code: string) => ({ status: false, message: 'No.', error: { code, details: [] }, request_id: 'r' });

const protective = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Request-Id': 'r',
};

const answer = (status: number, body: unknown, type = 'application/json; charset=utf-8'): SentResponse => ({
  method: 'GET',
  path: '/planted/:id',
  status,
  headers: { ...protective, 'Content-Type': type },
  content: typeof body === 'string' ? body : JSON.stringify(body),
});

describe('the check of responses against the OpenAPI documents', () => {
  const check = answerCheck(documents);

  it('accepts a correct response', () => {
    expect(check(answer(200, right))).to.equal(undefined);
    expect(check(answer(404, refused('NOT_FOUND')))).to.equal(undefined);
    expect(check({ ...answer(200, right), method: 'HEAD' })).to.equal(undefined);
  });

  it('ignores paths that are not in a document', () => {
    expect(check({ ...answer(418, {}), path: '/elsewhere' })).to.equal(undefined);
  });

  for (const [what, given, complaint] of [
    ['an undocumented status', answer(201, right), 'answered 201, which its description does not know'],
    ['another media type', answer(200, right, 'text/plain'), 'as text/plain'],
    ['no media type', { ...answer(200, right), headers: protective }, 'without a content type'],
    ['missing security headers', { ...answer(200, right), headers: {} }, 'without X-Content-Type-Options'],
    [
      'a page that may be framed',
      { ...answer(200, right), headers: { ...protective, 'Content-Security-Policy': "default-src 'none'" } },
      'that lets in',
    ],
    ['no JSON', answer(200, '{'), 'the body is not JSON'],
    ['a missing field', answer(200, { count: 1 }), "must have required property 'at'"],
    [
      'an additional field',
      answer(200, { ...right, more: 1 }),
      'must NOT have additional properties {"additionalProperty":"more"}',
    ],
    ['a field of another type', answer(200, { ...right, count: '1' }), '/count must be integer'],
    ['an invalid time', answer(200, { ...right, at: 'noon' }), '/at must match format "date-time"'],
    [
      'an undocumented error code',
      answer(404, refused('CONFLICT')),
      '/error/code must be equal to one of the allowed values',
    ],
  ] as const)
    it(`finds ${what}`, () => {
      expect(check(given)).to.include('GET /planted/:id answered').and.include(complaint);
    });

  it('finds wrong responses of other processes, with the running test', () => {
    const folder = mkdtempSync(join(tmpdir(), `${nameRunFolder('planted')}-`));
    try {
      writeFileSync(join(folder, 'documents.json'), JSON.stringify(documents));
      const planted = JSON.stringify(answer(200, { count: 1 }));
      const program = `
        import { channel } from 'node:diagnostics_channel';
        channel('popsvc.http.answered').publish(${planted});
        setTimeout(() => undefined, 1_000);`;
      const preload = new URL('watch-answers.js', import.meta.url).href;
      const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
        env: { ...process.env, NODE_OPTIONS: `--import=${preload}`, POPSVC_ANSWERS: folder, POPSVC_SPEC: 'a spec' },
        encoding: 'utf8',
      });
      expect(status, stderr).to.equal(0);
      const wrong = readdirSync(folder).filter((name) => name.startsWith('wrong-'));
      expect(wrong).to.have.length(1);
      expect(readFileSync(join(folder, wrong[0]!), 'utf8')).to.match(
        /^a spec\n {2}GET \/planted\/:id answered 200, but/,
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
