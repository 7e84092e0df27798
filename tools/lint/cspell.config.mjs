import { flaggedWords } from './flagged-words.mjs';

/** cspell configuration for code, comments, documentation and file names. spell.mjs selects the files. */
export default {
  version: '0.2',
  // British and American spelling are both accepted.
  language: 'en,en-GB',
  dictionaryDefinitions: [{ name: 'project', path: './dictionary.txt', addWords: true }],
  dictionaries: ['project', 'typescript', 'node', 'npm', 'softwareTerms', 'sql', 'docker', 'aws', 'fullstack'],
  flagWords: flaggedWords,
  ignoreRegExpList: [
    // cspell splits `createClickHouseClient` into words and flags one of them.
    '/click[-_ ]?house/gi', // cspell:ignore house
    // The name of this HTML element is a flagged word.
    '/<\\/?aside\\b/g', // cspell:ignore aside
    // Anchors in links. An anchor may join several words into one, as in `operators/on-call.md#reportsslow`.
    '/(?<=\\.md|\\()#[\\w-]+/g',
    // A screen's hours in a map of completeness.
    '/(?<= )[psobce-]{24}\\b/g', // cspell:ignore psobce
    // Escaped characters and JSON Web Tokens in tests.
    '/\\\\u\\{?[0-9a-f]{4,6}\\}?/gi',
    '/\\beyJ[\\w-]+\\.[\\w-]+\\.[\\w-]*/g',
  ],
};
