import { BulkJob } from '@popsvc/contracts/bulk';
import { ApiError } from '@popsvc/contracts/errors';
import { toBulkJobResponse } from '@popsvc/domain/bulk';
import type { ApiKeyPrincipal } from '@popsvc/platform/auth';
import { jsonResponse, type Route } from '@popsvc/platform/http';
import { validate } from 'uuid';
import { z } from 'zod';
import type { BulkParts } from '../bulk/bulk-parts.ts';
import { jobView } from '../bulk/job-view.ts';
import { refuseParameters } from '../intake/intake-query.ts';
import { unavailable } from '../intake/unavailable.ts';

const JobAddress = z.object({ jobId: z.string().describe('As told when the job was queued.') });

/** How far a job is. Those of others are not told from those that are not there. */
export const bulkJobRoute = (parts: BulkParts): Route => {
  const find = jobView(parts);
  return {
    method: 'get',
    path: '/popsvc/v1/pop/dynamic/bulk/jobs/:jobId',
    summary: 'What became of a bulk ingestion job.',
    operationId: 'getBulkJob',
    access: 'ingest',
    examples: [{ name: 'aJob', params: { jobId: '5f0c7a0e-6f0f-5c1e-9a3e-0c6a7a1f2b3d' } }],
    schemas: { params: JobAddress, query: z.strictObject({}), responses: { 200: BulkJob } },
    errorCodes: ['NOT_FOUND'],
    async handle({ params, query, principal }) {
      refuseParameters(query);
      const { network, vendor } = principal as ApiKeyPrincipal;
      const jobId = params['jobId'] ?? '';
      try {
        const job = validate(jobId) ? await find(jobId) : undefined;
        if (job?.network !== network || job.vendor !== vendor) throw new ApiError('NOT_FOUND', 'There is no such job.');
        return jsonResponse(200, toBulkJobResponse(job));
      } catch (error) {
        throw unavailable(error);
      }
    },
  };
};
