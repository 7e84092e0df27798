const units = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
  ['s', 1],
] as const;

/** How long something took, in its two largest units: `2 d 4 h`, `5 min 30 s`, `0 s`. */
export const durationText = (seconds: number): string => {
  let rest = Math.floor(seconds);
  const parts = units.map(([unit, size]) => {
    const many = Math.floor(rest / size);
    rest -= many * size;
    return { many, unit };
  });
  const first = parts.findIndex(({ many }) => many > 0);
  return parts
    .slice(first === -1 ? -1 : first, first === -1 ? undefined : first + 2)
    .filter(({ many }, index) => index === 0 || many > 0)
    .map(({ many, unit }) => `${many} ${unit}`)
    .join(' ');
};
