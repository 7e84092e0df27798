export { allProjections, logFollowers } from './all.ts';
