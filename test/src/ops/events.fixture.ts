import { expect } from 'chai';
import { playOf, pushes, registerMapping } from '../query-api/feedback.fixture.ts';
import { operatorToken, startTestServices, type TestServices } from '../support/test-services.ts';
import { smallRegistry } from '../support/small-registry.ts';

export type Told = Readonly<Record<string, unknown>>;
export interface Shown {
  readonly event_id: string;
  readonly found: readonly (Told & { readonly receipts: readonly Told[]; readonly balance: readonly Told[] })[];
}
export interface Conflicts {
  readonly conflicts: readonly (Told & { readonly first: Told; readonly later: Told })[];
  readonly next_before: string | null;
}
export interface Quarantine {
  readonly reasons: readonly Told[];
  readonly events: readonly Told[];
  readonly next_before: string | null;
}
export interface Balance {
  readonly sum: Told;
  readonly hours: readonly Told[];
}

const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
const dayMs = 86_400_000;

const own = (ref: string, over: object = {}) => ({
  ref,
  screen: 'screen-1',
  io: 'C-100',
  asset: 'CR-1',
  start: ago(3_600_000),
  seconds: 10,
  ...over,
});

/** What two vendors sent: every outcome there is, all of it projected. */
export interface SentEvents {
  readonly system: TestServices;
  readonly acme: ReturnType<typeof pushes>;
  /** The play of `told-twice`, as first sent. */
  readonly play: ReturnType<typeof playOf>;
  /** The event of `kept`, in a schema of its own. */
  readonly kept: ReturnType<typeof own>;
  ask(path: string, token?: string): Promise<Response>;
  get(path: string): Promise<unknown>;
  /** Whatever its status. */
  told(path: string): Promise<unknown>;
}

export const sentEvents = async (): Promise<SentEvents> => {
  const system = await startTestServices();
  await system.register(smallRegistry);
  await registerMapping(system, { version: 1 });
  const [play, kept, mine] = [playOf('told-twice'), own('kept'), playOf('mine')];
  const acme = pushes(system, await system.apiKey());
  const gamma = pushes(system, await system.apiKey(2, 'gamma'));
  await acme('/pop/events', { events: [play, { ...play, durationMs: 11_000, context: { slot: 3 } }, play] });
  await gamma('/pop/events', { events: [playOf('told-twice')] });
  await gamma('/pop/events', { events: [mine, { ...mine, screenId: 'screen-9' }] });
  await acme('/pop/dynamic', {
    schemaVersion: 'own-1',
    events: [kept, { ...kept, start: 'noon' }, own('', { start: ago(30 * dayMs) })],
  });
  await acme('/pop/dynamic', { schemaVersion: 'own-2', events: [{ anything: 'x'.repeat(20_000) }] });
  await acme('/pop/events', { events: [playOf('kept')] });
  await system.project();
  const ask: SentEvents['ask'] = (path, token = operatorToken) =>
    fetch(`${system.opsUrl}/ops/v1${path}`, { headers: { authorization: `Bearer ${token}` } });
  return {
    system,
    acme,
    play,
    kept,
    ask,
    told: async (path) => (await ask(path)).json(),
    async get(path) {
      const answer = await ask(path);
      const body: unknown = await answer.json();
      expect(answer.status, JSON.stringify(body)).to.equal(200);
      return body;
    },
  };
};
