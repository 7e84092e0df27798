/** How often a spec does what it does: what `npm run test:faults -- --rounds N` says, else its short form or its long one. */
export const roundsOf = (short: number, long: number): number => {
  const asked = Number(process.env['POPSVC_ROUNDS'] ?? '');
  if (asked > 0) return asked;
  return process.env['POPSVC_LONG'] === '1' ? long : short;
};
