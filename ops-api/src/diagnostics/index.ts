export type { DiagnosticsDependencies, ServiceEndpoint, RunningProjection } from './doctor-parts.ts';
export { doctorRoute } from './doctor.route.ts';
export { runDiagnostics } from './examine.ts';
export type { Finding, Outcome } from './finding.ts';
