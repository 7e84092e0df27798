export { dropNulls, isOptionalField } from './drop-nulls.ts';
