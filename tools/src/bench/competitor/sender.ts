import { createHash } from 'node:crypto';
import type { RequestHandler } from 'express';
import type { Pool } from 'pg';

/** Whose API key a request bears. */
export interface Sender {
  readonly networkId: number;
  readonly vendor: string;
}

const rememberedMs = 5_000;

export const hashOf = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex');

/** Looks keys up by their hash, and remembers them for as long as a revocation may take. */
export const requireSender = (pool: Pool): RequestHandler => {
  const remembered = new Map<string, { readonly sender: Sender; readonly untilMs: number }>();
  return async (request, response, next) => {
    const hash = hashOf(request.get('x-api-key') ?? '');
    let known = remembered.get(hash);
    if (known === undefined || known.untilMs < Date.now()) {
      const { rows } = await pool.query<{ network_id: number; vendor: string }>({
        name: 'api-key',
        text: 'SELECT network_id, vendor FROM api_keys WHERE hash = $1',
        values: [hash],
      });
      const [row] = rows;
      if (row === undefined) return void response.status(401).json({ status: false, message: 'unknown API key' });
      known = { sender: { networkId: row.network_id, vendor: row.vendor }, untilMs: Date.now() + rememberedMs };
      remembered.set(hash, known);
    }
    response.locals['sender'] = known.sender;
    next();
  };
};
