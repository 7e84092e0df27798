export { tokenAsked } from './token-asked.ts';
export { houseRefusal, refusalAnswer, tokenAnswer, TokenRefusal } from './token-refusal.ts';
export { unlessAway } from './unless-away.ts';
