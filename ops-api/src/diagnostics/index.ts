export type { DoctorParts, Neighbour, RunningProjection, RunningProjections } from './doctor-parts.ts';
export { doctorRoute } from './doctor.route.ts';
export { examine } from './examine.ts';
export type { Finding, Outcome } from './finding.ts';
