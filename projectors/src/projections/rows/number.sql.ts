/** A number of 53 bits made of an identity: page order within a millisecond, and DETAILID. Replays and arrival order do not change it. */
export const projectedNumber = (...identity: readonly string[]): string =>
  `bitShiftRight(sipHash64(${identity.map((part) => `toString(${part})`).join(', ')}), 11)`;
