export { idempotent, type IdempotentParts, type Try, type TryRequest } from './idempotent.ts';
