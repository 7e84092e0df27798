import { expect } from 'chai';
import { playOf, createPush, registerMapping } from '../query-api/event-status.fixture.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';

export type JsonObject = Readonly<Record<string, unknown>>;
export interface ShownEvent {
  readonly event_id: string;
  readonly found: readonly (JsonObject & {
    readonly receipts: readonly JsonObject[];
    readonly balance: readonly JsonObject[];
  })[];
}
export interface Conflicts {
  readonly conflicts: readonly (JsonObject & { readonly first: JsonObject; readonly later: JsonObject })[];
  readonly next_after: string | null;
}
export interface Quarantine {
  readonly reasons: readonly JsonObject[];
  readonly events: readonly JsonObject[];
  readonly next_after: string | null;
}
export interface Balance {
  readonly sum: JsonObject;
  readonly hours: readonly JsonObject[];
}

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const dayMs = 86_400_000;

const own = (ref: string, overrides: object = {}) => ({
  ref,
  screen: 'screen-1',
  io: 'C-100',
  asset: 'CR-1',
  start: ago(3_600_000),
  seconds: 10,
  ...overrides,
});

/** The events of two vendors with every outcome, projected. */
export interface SentEvents {
  readonly system: TestServices;
  readonly acme: ReturnType<typeof createPush>;
  /** The play `sent-twice`, as first sent. */
  readonly play: ReturnType<typeof playOf>;
  /** The event `kept`, in the vendor's own schema. */
  readonly kept: ReturnType<typeof own>;
  request(path: string, token?: string): Promise<Response>;
  get(path: string): Promise<unknown>;
  /** The body of a response of any status. */
  getBody(path: string): Promise<unknown>;
}

export const sendEvents = async (): Promise<SentEvents> => {
  const system = await startTestServices();
  await system.register(smallRegistry);
  await registerMapping(system, { version: 1 });
  const [play, kept, mine] = [playOf('sent-twice'), own('kept'), playOf('mine')];
  const acme = createPush(system, await system.apiKey());
  const gamma = createPush(system, await system.apiKey(2, 'gamma'));
  await acme('/pop/events', { events: [play, { ...play, durationMs: 11_000, context: { slot: 3 } }, play] });
  const repeated = { events: [playOf('sent-twice')] };
  await gamma('/pop/events', repeated);
  await gamma('/pop/events', repeated);
  await gamma('/pop/events', { events: [mine, { ...mine, screenId: 'screen-9' }] });
  await acme('/pop/dynamic', {
    schemaVersion: 'own-1',
    events: [kept, { ...kept, start: 'noon' }, own('', { start: ago(30 * dayMs) })],
  });
  await acme('/pop/dynamic', { schemaVersion: 'own-2', events: [{ anything: 'x'.repeat(20_000) }] });
  await acme('/pop/events', { events: [playOf('kept')] });
  await system.project();
  const ask: SentEvents['request'] = (path, token = operatorToken) =>
    fetch(`${system.opsUrl}/ops/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  return {
    system,
    acme,
    play,
    kept,
    request: ask,
    getBody: async (path) => (await ask(path)).json(),
    async get(path) {
      const response = await ask(path);
      const body: unknown = await response.json();
      expect(response.status, JSON.stringify(body)).to.equal(200);
      return body;
    },
  };
};
