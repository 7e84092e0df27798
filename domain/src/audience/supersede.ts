/** A position in the log, however the reader holds it. */
export type Position = bigint | number;

/** One telling of a detection; the identity is (network, vendor, detectionId). */
export interface DetectionVersion {
  readonly network: number;
  readonly vendor: string;
  readonly detectionId: string;
  readonly revision: number;
  readonly position: Position;
}

/** One receipt of a play; the identity is (network, vendor, eventId). */
export interface PlayReceipt {
  readonly network: number;
  readonly vendor: string;
  readonly eventId: string;
  readonly position: Position;
}

/** Which of two tellings of one detection stands: the higher revision, then the later in the log (decisions 4.7). */
export const newerDetection = <Version extends Pick<DetectionVersion, 'revision' | 'position'>>(
  one: Version,
  other: Version,
): Version => {
  if (one.revision !== other.revision) return one.revision > other.revision ? one : other;
  return one.position > other.position ? one : other;
};

const standing = <Told>(all: Iterable<Told>, identity: (told: Told) => string, choose: (a: Told, b: Told) => Told) => {
  const kept = new Map<string, Told>();
  for (const told of all) {
    const key = identity(told);
    const rival = kept.get(key);
    kept.set(key, rival === undefined ? told : choose(rival, told));
  }
  return [...kept.values()];
};

/** Of every detection the version that stands. */
export const currentDetections = <Version extends DetectionVersion>(versions: Iterable<Version>): Version[] =>
  standing(versions, ({ network, vendor, detectionId }) => `${network}/${vendor}/${detectionId}`, newerDetection);

/** Of every play the receipt that stands: the first in the log (decisions 4.5). */
export const firstReceipts = <Receipt extends PlayReceipt>(receipts: Iterable<Receipt>): Receipt[] =>
  standing(
    receipts,
    ({ network, vendor, eventId }) => `${network}/${vendor}/${eventId}`,
    (one, other) => (other.position < one.position ? other : one),
  );
