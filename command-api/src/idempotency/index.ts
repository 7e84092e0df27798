export { idempotent, type IdempotentParts, type Try, type TryRequest } from './idempotent.ts';
export { repeatable, Valid } from './repeatable.ts';
