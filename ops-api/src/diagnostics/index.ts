export type { DiagnosticsDependencies, ServiceEndpoint, RunningProjection } from './dependencies.ts';
export { doctorRoute } from './routes.ts';
export { runDiagnostics } from './run-diagnostics.ts';
export type { Finding, Outcome } from './findings.ts';
