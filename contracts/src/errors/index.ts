export { type ErrorCode, errors } from './codes.ts';
export { type Detail, Refusal, type RefusalOptions, refuseParam } from './refusal.ts';
