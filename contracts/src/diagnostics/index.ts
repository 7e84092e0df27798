export { type AlertRuleGroup, alertRuleGroups } from './alert-rules.ts';
export { SEVERITIES, type CheckDeclaration, type ProblemDeclaration } from './check-declaration.ts';
export { type CheckName, CHECKS, type ProblemCode, type ReadinessChecks } from './checks.ts';
export { Finding, findingTitle, type Outcome, reportOk, reportProblem, reportSkipped } from './finding.ts';
export { type ReadyResponse, reportReadyService } from './ready-service.ts';
export { EventLogScrub, eventLogScrubFile } from './event-log-scrub.ts';
