import { type DynamicStep, type LengthField, type Sent, zoneOffsets } from './dynamic-scenario.ts';

interface Receipt {
  readonly sent: Sent;
  readonly isCanonical: boolean;
  /** The play it is; undefined while it waits. */
  play?: { readonly startMs: number; readonly seconds: number; readonly version: number };
  /** Number of mappings before it. */
  readonly mappingsBefore: number;
}

export interface ExpectedNetwork {
  readonly receipts: readonly Receipt[];
  /** By hour of receipt: received, stored, duplicate, conflict, quarantined, late, clock ahead. */
  readonly balance: Readonly<Record<string, readonly number[]>>;
  /** Id, start and seconds of each stored play. */
  readonly plays: readonly (readonly [string, number, number])[];
}

const [lateMs, aheadMs, hourMs] = [14 * 86_400_000, 60_000, 3_600_000];

/** The plainest reading of the rule: after every event of the log, every waiting event is tried again. */
const receiptsOf = (steps: readonly DynamicStep[]): Receipt[] => {
  const receipts: Receipt[] = [];
  const fields: LengthField[] = [];
  const zones = new Map<string, string>();
  const tried = ({ sent, mappingsBefore }: Receipt): Receipt['play'] => {
    const first = Math.max(0, mappingsBefore - 1);
    const zone = zones.get(sent.screen);
    const fits = fields.findIndex(
      (field, index) =>
        index >= first &&
        field === sent.field &&
        typeof sent.seconds === 'number' &&
        (!sent.isLocal || zone !== undefined),
    );
    if (fits < 0) return undefined;
    const startMs = sent.startMs - (sent.isLocal ? zoneOffsets[zone!]! * 60_000 : 0);
    return { startMs, seconds: Number(sent.seconds), version: fits + 1 };
  };
  for (const step of steps) {
    if (step.kind === 'play')
      receipts.push({
        sent: step.play,
        isCanonical: true,
        mappingsBefore: 0,
        play: { startMs: step.play.startMs, seconds: 10, version: 0 },
      });
    if (step.kind === 'send')
      for (const sent of step.events) receipts.push({ sent, isCanonical: false, mappingsBefore: fields.length });
    if (step.kind === 'map') fields.push(step.field);
    if (step.kind === 'device' && !zones.has(step.screen)) zones.set(step.screen, step.zone);
    for (const receipt of receipts) {
      const play = receipt.play ?? tried(receipt);
      if (play) receipt.play = play;
    }
  }
  return receipts;
};

/** The expected result of a network's steps, independent of batches. */
export const expectedNetwork = (steps: readonly DynamicStep[]): ExpectedNetwork => {
  const receipts = receiptsOf(steps);
  const storedById = new Map<string, Receipt>();
  const balance: Record<string, number[]> = {};
  for (const receipt of receipts) {
    const { sent, play } = receipt;
    const hour = new Date(Math.floor(sent.receivedMs / hourMs) * hourMs).toISOString().slice(0, 19).replace('T', ' ');
    const counts = (balance[`${hour}.000`] ??= [0, 0, 0, 0, 0, 0, 0]);
    const count = (index: number) => (counts[index]! += 1);
    count(0);
    if (!play) {
      count(4);
      continue;
    }
    const first = storedById.get(sent.id);
    if (first) {
      const isSame =
        first.play!.startMs === play.startMs &&
        first.play!.seconds === play.seconds &&
        first.sent.screen === sent.screen;
      count(isSame ? 2 : 3);
      continue;
    }
    storedById.set(sent.id, receipt);
    count(1);
    if (sent.receivedMs - play.startMs > lateMs) count(5);
    if (play.startMs - sent.receivedMs > aheadMs) count(6);
  }
  const plays = [...storedById].map(([id, { play }]) => [id, play!.startMs, play!.seconds] as const);
  return { receipts, balance, plays: plays.sort(([one], [other]) => (one < other ? -1 : 1)) };
};
