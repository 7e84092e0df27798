/**
 * Words that must not occur in identifiers, file names, comments and documentation, with their replacements. Words that libraries and
 * the field use as technical terms (floor, gate, record, peer, …) are not listed; reviewers judge them.
 */
const replacements = {
  tell: 'send, report, return, record, write',
  tells: 'sends, reports, returns, records, writes',
  telling: 'sending, reporting, returning, recording, writing',
  told: 'sent, reported, returned, recorded, written',
  retell: 'resend, retry',
  retelling: 'resending, retrying',
  retold: 'resent, retried',
  asked: 'requested, request, query, params',
  stands: 'is stored, is current, is',
  standing: 'status, state, stored, current',
  standings: 'statuses, states',
  heard: 'received, last seen',
  aside: 'parked, quarantined, dead-lettered',
  patience: 'timeout',
  bell: 'signal',
  bells: 'signals',
  crew: 'supervisor',
  crews: 'supervisors',
  stranger: 'foreign id, unknown reference, unknown caller',
  strangers: 'foreign ids, unknown references, unknown callers',
  wish: 'option, options',
  wishes: 'options',
  wished: 'requested',
  wishing: 'requesting',
  mend: 'repair',
  mends: 'repairs',
  mended: 'repaired',
  mending: 'repairing',
  anew: 'again',
  lacking: 'missing',
  believed: 'cached, assumed',
  insist: 'retry, require',
  insists: 'retries, requires',
  insisted: 'retried, required',
  insisting: 'retrying, requiring',
  beside: 'alongside, next to, shadow',
  nobody: 'no caller, no process',
  somebody: 'a caller, another process',
  whoever: 'the caller, the process that',
  house: 'service, codebase, architecture',
  houses: 'services',
  journey: 'walkthrough',
  journeys: 'walkthroughs',
  newcomer: 'new user, new process',
  newcomers: 'new users, new processes',
  neighbour: 'other tenant, other process, adjacent',
  neighbours: 'other tenants, other processes',
  neighbor: 'other tenant, other process, adjacent',
  neighbors: 'other tenants, other processes',
};

/**
 * The flagged words in the format of cspell, `word->replacement, replacement`, and their possessive forms, which cspell treats as
 * separate words.
 */
export const flaggedWords = Object.entries(replacements).flatMap(([word, instead]) => [
  `${word}->${instead}`,
  `${word}'s->${instead}`,
]);
