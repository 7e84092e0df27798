import { randomBytes } from 'node:crypto';
import { analystsDatabase, analystViews } from '@popsvc/read-models/analysts';
import { insertAnalyst } from '@popsvc/platform/postgres';
import { operatorAnalyst, syncGrants } from '@popsvc/ops-api/analysts';
import { ensureAnalystViews } from '@popsvc/read-models/generations';
import { allProjections } from '@popsvc/projectors/projections';
import { type Answer, askClickHouse, clickhouseWith, type Credentials } from '../support/engines.ts';
import { projecting, type Projecting } from '../support/projecting.ts';

/** Somebody who asks, and the networks whose rows may be seen; `all` as the house's own people. */
export interface Analyst extends Credentials {
  readonly networks: readonly number[] | 'all';
}

export interface AnalystsWorld {
  readonly house: Projecting;
  /** The database that analysts see. */
  readonly database: string;
  readonly views: readonly string[];
  /** Where analysts ask. */
  readonly url: string;
  /** The engine's own port, where they are not heard. */
  readonly engineUrl: string;
  readonly analysts: readonly Analyst[];
  /** As curl sends it, with the analysts' database chosen. */
  ask(who: Credentials, sql: string): Promise<Answer>;
  /** The rows of a query that must work. */
  rows<Row>(who: Credentials, sql: string): Promise<Row[]>;
}

const password = () => randomBytes(12).toString('hex');

/** Read models with everything analysts see, on an engine that knows these analysts and the house's own. */
export const analystsWorld = async (
  wanted: readonly { readonly name: string; readonly networks: readonly number[] | 'all' }[],
): Promise<AnalystsWorld> => {
  const named = wanted.map(({ name, networks }): Analyst => ({ username: name, password: password(), networks }));
  const engine = await clickhouseWith(named);
  const house = await projecting({ engine });
  await ensureAnalystViews(
    house.writer,
    allProjections.map((projection) => ({ projection, generation: 1 })),
  );
  for (const { username, networks } of named)
    await insertAnalyst(house.postgres, {
      name: username,
      networkIds: networks === 'all' ? null : networks,
      passwordSha256: Buffer.alloc(32),
    });
  await syncGrants(house.writer, house.postgres);
  const database = analystsDatabase(house.writer.database);
  const url = engine.analystsUrl;
  const ask = (who: Credentials, sql: string) => askClickHouse(`${url}/?database=${database}`, who, sql);
  return {
    house,
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
