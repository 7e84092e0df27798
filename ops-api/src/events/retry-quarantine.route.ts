import { randomUUID } from 'node:crypto';
import { mappingStream, QuarantineRetried } from '@popsvc/contracts/events';
import { instantOf } from '@popsvc/contracts/time';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { z } from 'zod';
import { appendAgain } from '../append-again.ts';
import { parseBody, switches } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { noParameters } from '../parameters.ts';
import { type ReasonFound, reasonsQuery } from './quarantine.query.ts';

const Wanted = z.strictObject({
  network: z.int().positive(),
  vendor: z.string().regex(/^[a-z][a-z0-9]{1,31}$/, 'must be a vendor code'),
  schema_version: z.string().min(1).max(200),
});
const QuarantineTried = Wanted.extend({
  waiting: z.int().min(0).describe('How many events wait as it is asked.'),
}).meta({ id: 'QuarantineTried' });

/** A point in the log at which what waits is tried, as a new mapping is one. */
export const retryQuarantineRoute = ({ store, reader }: Pick<OpsDependencies, 'store' | 'reader'>): Route => ({
  method: 'post',
  path: '/ops/v1/quarantine/retry',
  summary: "Has the events of a vendor's own schema that wait for a mapping tried again, such as by a newer build.",
  operationId: 'retryQuarantine',
  access: 'operator',
  body: 'json',
  examples: [{ name: 'aSchema', body: { network: 1, vendor: 'acme', schema_version: 'flat-1' } }],
  schemas: { query: noParameters, body: Wanted, responses: { 200: QuarantineTried } },
  async handle({ body, query, requestId, signal, log }) {
    switches(query, []);
    const { network, vendor, schema_version } = parseBody(Wanted, body);
    const wanted = { network, vendor, schemaVersion: schema_version };
    const reasons = await reader.rows<ReasonFound>(reasonsQuery(wanted), { signal });
    const waiting = reasons.reduce((sum, { events }) => sum + events, 0);
    const { type, version: schemaVersion } = QuarantineRetried;
    const metadata = { schemaVersion, receivedAt: instantOf(Date.now()), network, vendor, requestId };
    if (waiting > 0)
      await appendAgain(store, mappingStream(vendor), [{ id: randomUUID(), type, data: wanted, metadata }], 'any');
    log.info({ ...wanted, waiting }, 'events that wait are tried again');
    return jsonResponse(200, { network, vendor, schema_version, waiting });
  },
});
