export { foldLoggedMapping } from './fold-logged-mapping.ts';
