import { randomBytes } from 'node:crypto';
import { analystsDatabase, analystViews } from '@popsvc/read-models/analysts';
import { insertAnalyst } from '@popsvc/platform/postgres';
import { operatorAnalyst, syncGrants } from '@popsvc/ops-api/analysts';
import { ensureAnalystViews } from '@popsvc/read-models/generations';
import { allProjections } from '@popsvc/projectors/projections';
import {
  type ClickHouseResponse,
  queryClickHouse,
  clickHouseWithAnalysts,
  type Credentials,
} from '../support/engines.ts';
import { startTestSystem, type TestSystem } from '../support/test-system.ts';

/** Somebody who asks, and the networks whose rows may be seen; `all` as the system's own people. */
export interface Analyst extends Credentials {
  readonly networks: readonly number[] | 'all';
}

export interface AnalystsWorld {
  readonly system: TestSystem;
  /** The database that analysts see. */
  readonly database: string;
  readonly views: readonly string[];
  /** Where analysts ask. */
  readonly url: string;
  /** The engine's own port, where they are not heard. */
  readonly engineUrl: string;
  readonly analysts: readonly Analyst[];
  /** As curl sends it, with the analysts' database chosen. */
  ask(who: Credentials, sql: string): Promise<ClickHouseResponse>;
  /** The rows of a query that must work. */
  rows<Row>(who: Credentials, sql: string): Promise<Row[]>;
}

const password = () => randomBytes(12).toString('hex');

/** Read models with everything analysts see, on an engine that knows these analysts and the system's own. */
export const analystsWorld = async (
  wanted: readonly { readonly name: string; readonly networks: readonly number[] | 'all' }[],
): Promise<AnalystsWorld> => {
  const named = wanted.map(({ name, networks }): Analyst => ({ username: name, password: password(), networks }));
  const engine = await clickHouseWithAnalysts(named);
  const system = await startTestSystem({ engine });
  await ensureAnalystViews(
    system.writer,
    allProjections.map((projection) => ({ projection, generation: 1 })),
  );
  for (const { username, networks } of named)
    await insertAnalyst(system.postgres, {
      name: username,
      networkIds: networks === 'all' ? null : networks,
      passwordSha256: Buffer.alloc(32),
    });
  await syncGrants(system.writer, system.postgres);
  const database = analystsDatabase(system.writer.database);
  const url = engine.analystsUrl;
  const ask = (who: Credentials, sql: string) => queryClickHouse(`${url}/?database=${database}`, who, sql);
  return {
    system,
    database,
    views: analystViews.map(({ name }) => name),
    url,
    engineUrl: engine.url,
    analysts: [...named, { ...engine.analyst, username: operatorAnalyst, networks: 'all' }],
    ask,
    async rows<Row>(who: Credentials, sql: string) {
      const { ok, text } = await ask(who, `${sql.trim().replace(/;$/, '')}\nFORMAT JSONEachRow`);
      if (!ok) throw new Error(`${sql}\n${text}`);
      return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Row);
    },
  };
};
