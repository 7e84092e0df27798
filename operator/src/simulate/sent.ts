import type { PopEvent } from '@popsvc/contracts/commands';
import type { Delivery } from './deliveries.ts';
import type { NetworkWorld } from './network-world.ts';

/** What was sent of one network. */
export interface SentCounts {
  readonly network_id: number;
  /** Different plays. */
  readonly plays: number;
  readonly play_events: number;
  readonly duplicates: number;
  /** Different detections. */
  readonly detections: number;
  readonly detection_events: number;
}

/** A play as reports tell it apart: its player's name and its id. */
export const playKey = (playerName: string, eventId: string): string => `${playerName}\n${eventId}`;

/** Counts what is sent of a network; with `remember` it knows every play by its key. */
export class Sent {
  readonly plays = new Set<string>();
  readonly #network: NetworkWorld;
  readonly #remember: boolean;
  readonly #counts = { plays: 0, play_events: 0, detections: 0, detection_events: 0 };

  constructor(network: NetworkWorld, remember: boolean) {
    this.#network = network;
    this.#remember = remember;
  }

  note({ intake, vendor, items }: Delivery): void {
    const counts = this.#counts;
    const fresh = items.filter(({ again }) => !again);
    if (intake === 'detections') {
      counts.detection_events += items.length;
      counts.detections += fresh.length;
      return;
    }
    counts.play_events += items.length;
    counts.plays += fresh.length;
    if (!this.#remember) return;
    const name = this.#network.vendors.get(vendor) ?? vendor;
    for (const { event } of fresh) this.plays.add(playKey(name, (event as PopEvent).eventId));
  }

  get counts(): SentCounts {
    const { plays, play_events: events } = this.#counts;
    return { network_id: this.#network.id, duplicates: events - plays, ...this.#counts };
  }
}
