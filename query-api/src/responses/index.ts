export { joinRows, mergeLinesById } from './json-rows.ts';
