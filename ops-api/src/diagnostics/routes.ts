import { Finding } from '@popsvc/contracts/diagnostics';
import { Instant, instantOf } from '@popsvc/contracts/time';
import { jsonResponse, noParameters, type Route } from '@popsvc/http-kit/server';
import { z } from 'zod';

export interface DoctorDependencies {
  /** Never throws, even if every store is unavailable. */
  readonly runDiagnostics: () => Promise<readonly Finding[]>;
}

const DiagnosticsResponse = z.object({
  at: Instant.describe('When the checks ended.'),
  outcome: z.enum(['ok', 'warning', 'failed']).describe('The most severe outcome of all findings.'),
  findings: z.array(Finding).describe('The results of all checks.'),
});

export const doctorRoute = ({ runDiagnostics }: DoctorDependencies): Route => ({
  method: 'get',
  path: '/ops/v1/doctor',
  summary: 'Diagnoses the service: problems, and what to do about them.',
  description:
    'Checks every store, the schema, projections, clocks, disks, jobs and the quarantine. Responds within ten seconds, even when stores are down or hang.',
  operationId: 'examineService',
  access: 'viewer',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: DiagnosticsResponse } },
  async handle() {
    const findings = await runDiagnostics();
    const has = (outcome: Finding['outcome']) => findings.some((finding) => finding.outcome === outcome);
    const outcome = has('failed') ? 'failed' : has('warning') ? 'warning' : 'ok';
    return jsonResponse(200, { at: instantOf(Date.now()), outcome, findings });
  },
});
