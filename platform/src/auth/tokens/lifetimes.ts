/** Seconds. Times are compared with this much leeway, for clocks that differ. */
export const leewaySeconds = 30;
export const tokenSeconds = 15 * 60;

/** How often a process looks which keys there are. */
export const keysBelievedSeconds = 10;

/** A replaced key may sign for as long as others do not know; its last token then lives its full time. */
export const replacedKeySeconds = tokenSeconds + leewaySeconds + 2 * keysBelievedSeconds;

export const keyRotationSeconds = 30 * 24 * 60 * 60;
