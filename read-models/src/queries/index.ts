export { judgedPlays } from './judged-plays.ts';
export { isOnline } from './online.ts';
