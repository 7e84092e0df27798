export { type ErrorCode, errors } from './codes.ts';
export { complaintsOf, mostDetails } from './complaints.ts';
export { type Detail, Refusal, type RefusalOptions, refuseParam } from './refusal.ts';
export { wording } from './wording.ts';
