import { intakeStream } from '@popsvc/contracts/events';
import { expect } from 'chai';
import fc from 'fast-check';
import { commandApi, type TestCommandApi } from './command-api.fixture.ts';
import { dynamicPath } from './sender.fixture.ts';

const now = Date.parse('2026-09-14T12:00:00.000Z');
const stream = intakeStream('dynamicPop', 1, 'acme', now);

describe('command-api: dynamic events of any shape', function () {
  let api: TestCommandApi;
  // An event store of its own: each run reads the stream again.
  before(async () => {
    api = await commandApi({ clock: { now: () => now } });
  });
  after(() => api.close());

  it('stores the fields of an event exactly as sent', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 5 })), {
          minLength: 1,
          maxLength: 20,
        }),
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }),
        async (events, schemaVersion) => {
          const text = JSON.stringify({ schemaVersion, events });
          fc.pre(!text.includes('__proto__'));
          const { status } = await api.send(dynamicPath, text);
          expect(status).to.equal(202);
          const due = (JSON.parse(text) as { events: unknown[] }).events;
          const stored = (await api.items(stream)).slice(-due.length).map(({ data }) => data);
          expect(stored).to.deep.equal(due.map((event) => ({ schemaVersion, event })));
        },
      ),
      { numRuns: 60 },
    ));
});
