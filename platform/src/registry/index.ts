export { foldLogged } from './fold-logged.ts';
