export { createDictionary, dictionaries, reloadDictionaries } from './dictionaries.ts';
