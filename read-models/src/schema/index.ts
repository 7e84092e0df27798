export { createDictionary, dictionaries, reloadDictionaries } from '../registry/dictionaries.ts';
