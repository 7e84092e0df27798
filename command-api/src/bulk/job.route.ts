import { BulkJob } from '@popsvc/contracts/bulk';
import { ApiError } from '@popsvc/contracts/errors';
import { toBulkJobResponse } from '@popsvc/domain/bulk';
import type { ApiKeyPrincipal } from '@popsvc/http-kit/auth';
import { jsonResponse, noParameters, parseQuery, type Route } from '@popsvc/http-kit/server';
import { validate } from 'uuid';
import { z } from 'zod';
import { toCallerError } from '../intake/errors.ts';
import type { ForwardRequest } from '../query-api/query-api-proxy.ts';
import { createJobReader } from './jobs.ts';
import { countQuarantinedRows } from './quarantined-rows.ts';
import type { StreamDependencies } from './uploads.ts';

const JobParams = z.object({ jobId: z.string().describe('The id returned when the job was queued.') });

/** A job of another vendor or network gets the same 404 as an unknown job. */
export const bulkJobRoute = (dependencies: StreamDependencies, forward: ForwardRequest): Route => {
  const findJob = createJobReader(dependencies);
  return {
    method: 'get',
    path: '/popsvc/v1/pop/dynamic/bulk/jobs/:jobId',
    summary: 'The status of a bulk ingestion job.',
    operationId: 'getBulkJob',
    access: 'ingest',
    examples: [{ name: 'aJob', params: { jobId: '5f0c7a0e-6f0f-5c1e-9a3e-0c6a7a1f2b3d' } }],
    schemas: { params: JobParams, query: noParameters, responses: { 200: BulkJob } },
    errorCodes: ['NOT_FOUND'],
    async handle(request) {
      const { params, query, principal } = request;
      parseQuery(noParameters, query);
      const { network, vendor } = principal as ApiKeyPrincipal;
      const jobId = params['jobId'] ?? '';
      try {
        const job = validate(jobId) ? await findJob(jobId) : undefined;
        if (job?.network !== network || job.vendor !== vendor)
          throw new ApiError('NOT_FOUND', 'There is no job with this id.');
        return jsonResponse(200, toBulkJobResponse(job, await countQuarantinedRows(forward, job, request)));
      } catch (error) {
        throw toCallerError(error);
      }
    },
  };
};
