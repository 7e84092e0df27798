/** round(100 × part / whole) in integers, half up; 0 when there is no whole. */
export const percent = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.floor((200 * part + whole) / (2 * whole));
