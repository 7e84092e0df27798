export { tokenAsked } from './token-asked.ts';
export { houseRefusal, refusalAnswer, tokenAnswer, TokenRefusal } from './token-refusal.ts';
export { type TokenRates, tokenRates } from './token-rates.ts';
export { unlessAway } from './unless-away.ts';
export { KeySet, Token, TokenError, TokenRequest } from './token-schemas.ts';
