import { Readable } from 'node:stream';
import { BulkJob } from '@popsvc/contracts/bulk';
import { jsonResponse, type Route, streamResponse } from '@popsvc/platform/http';
import { z } from 'zod';
import { checkedQuery, switches } from '../checked.ts';
import type { OpsDependencies } from '../ops-parts.ts';
import { listLimit, noParameters, networkParameter, positionParameter, vendorParameter } from '../parameters.ts';
import { refuseUnknown } from '../registry/refuse-unknown.ts';
import type { RegistryLog } from '../registry/registry-log.ts';
import { badRows, loggedJob, requireJob } from './job-log.ts';
import { type JobFound, jobsQuery } from './jobs.query.ts';
import { JobAddress, JobsTold, ShownJob } from './jobs.schemas.ts';
import { toldJob, toldWhole } from './told-job.ts';

const Asked = z.strictObject({
  network: networkParameter.optional(),
  vendor: vendorParameter.optional(),
  status: BulkJob.shape.status.optional(),
  limit: listLimit(100),
  before: positionParameter.optional(),
});

const listJobs = ({ reader }: OpsDependencies, known: RegistryLog): Route => ({
  method: 'get',
  path: '/ops/v1/jobs',
  summary: 'Bulk jobs, the newest first.',
  operationId: 'listJobs',
  access: 'operator',
  examples: [{ name: 'completed', query: { status: 'completed', limit: 10 } }],
  schemas: { query: Asked, responses: { 200: JobsTold } },
  async handle({ query, signal }) {
    const asked = checkedQuery(Asked, query);
    const found = await reader.rows<JobFound>(jobsQuery(asked), { signal });
    if (found.length === 0) await refuseUnknown(known, asked);
    const shown = found.slice(0, asked.limit);
    return jsonResponse(200, {
      jobs: shown.map(toldJob),
      next_before: found.length > shown.length ? (shown.at(-1)?.position ?? null) : null,
    });
  },
});

const showJob = ({ store }: OpsDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/jobs/:id',
  summary: 'One bulk job as the log has it, with its first bad rows.',
  operationId: 'showJob',
  access: 'operator',
  examples: [{ name: 'aJob', params: { id: '5f0c7a0e-6f0f-5c1e-9a3e-0c6a7a1f2b3d' } }],
  schemas: { params: JobAddress, query: noParameters, responses: { 200: ShownJob } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, query }) {
    switches(query, []);
    const { job, queuedMs } = await loggedJob(store, params['id'] ?? '');
    return jsonResponse(200, toldWhole(job, queuedMs));
  },
});

const listErrors = ({ store }: OpsDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/jobs/:id/errors',
  summary: 'Every bad row of a bulk job, a JSON object a line.',
  operationId: 'listJobErrors',
  access: 'operator',
  examples: [{ name: 'aJob', params: { id: '5f0c7a0e-6f0f-5c1e-9a3e-0c6a7a1f2b3d' } }],
  schemas: {
    params: JobAddress,
    query: noParameters,
    otherResponses: { 'application/x-ndjson': 'Objects of `row` and `error`, one a line.' },
  },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, query }) {
    switches(query, []);
    const id = params['id'] ?? '';
    await requireJob(store, id);
    return streamResponse(200, { 'Content-Type': 'application/x-ndjson' }, () => Readable.from(badRows(store, id)));
  },
});

export const jobRoutes = (parts: OpsDependencies, known: RegistryLog): readonly Route[] => [
  listJobs(parts, known),
  showJob(parts),
  listErrors(parts),
];
