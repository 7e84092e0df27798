export { createTokenRates } from './token-rates.ts';
