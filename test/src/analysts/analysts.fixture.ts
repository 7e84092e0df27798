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

/** A login and the networks whose rows it sees; `all` for the staff of the operator. */
export interface Analyst extends Credentials {
  readonly networks: readonly number[] | 'all';
}

export interface AnalystsSystem {
  readonly system: TestSystem;
  /** The database that analysts see. */
  readonly database: string;
  readonly views: readonly string[];
  /** The views whose rows are of networks. */
  readonly networkViews: readonly string[];
  /** The URL at which analysts reach ClickHouse. */
  readonly url: string;
  /** The port of the engine, which rejects logins of analysts. */
  readonly engineUrl: string;
  readonly analysts: readonly Analyst[];
  /** Sends a query as curl does, with the analysts' database. */
  query(who: Credentials, sql: string): Promise<ClickHouseResponse>;
  /** The rows of a query; throws if it fails. */
  rows<Row>(who: Credentials, sql: string): Promise<Row[]>;
}

const password = () => randomBytes(12).toString('hex');

/** Starts read models with the views of analysts, on an engine with these logins and that of the operator. */
export const startAnalystsSystem = async (
  wanted: readonly { readonly name: string; readonly networks: readonly number[] | 'all' }[],
): Promise<AnalystsSystem> => {
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
  const query = (who: Credentials, sql: string) => queryClickHouse(`${url}/?database=${database}`, who, sql);
  return {
    system,
    database,
    views: analystViews.map(({ name }) => name),
    networkViews: analystViews.filter(({ columns }) => 'network_id' in columns).map(({ name }) => name),
    url,
    engineUrl: engine.url,
    analysts: [...named, { ...engine.analyst, username: operatorAnalyst, networks: 'all' }],
    query,
    async rows<Row>(who: Credentials, sql: string) {
      const { ok, text } = await query(who, `${sql.trim().replace(/;$/, '')}\nFORMAT JSONEachRow`);
      if (!ok) throw new Error(`${sql}\n${text}`);
      return text === '' ? [] : text.split('\n').map((line) => JSON.parse(line) as Row);
    },
  };
};
