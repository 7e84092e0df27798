import type { Heartbeat, PopEvent } from '@popsvc/contracts/commands';
import type { Delivery } from './deliveries.ts';
import type { SimulatedNetwork } from './world.ts';

export interface SentCounts {
  readonly network_id: number;
  readonly plays: number;
  readonly play_events: number;
  readonly duplicates: number;
  readonly detections: number;
  readonly detection_events: number;
  /** Number of heartbeats sent, including duplicates. */
  readonly heartbeat_events: number;
  readonly interval_events: number;
}

/** Identifies a play in a report: the name of the media player and the event id. */
export const playKey = (playerName: string, eventId: string): string => `${playerName}\n${eventId}`;

/** Counts the events sent for a network. With `remember` it also keeps the key of every play and the times of feeder heartbeats. */
export class SentEvents {
  readonly plays = new Set<string>();
  /** Heartbeat times by feeder id, ms since 1970, unsorted. */
  readonly heartbeats = new Map<number, number[]>();
  readonly #network: SimulatedNetwork;
  readonly #remember: boolean;
  readonly #counts = {
    plays: 0,
    play_events: 0,
    detections: 0,
    detection_events: 0,
    heartbeat_events: 0,
    interval_events: 0,
  };

  constructor(network: SimulatedNetwork, remember: boolean) {
    this.#network = network;
    this.#remember = remember;
  }

  /** Adds a delivery that the service has accepted. */
  add(delivery: Delivery): void {
    const counts = this.#counts;
    const { length } = delivery.items;
    const fresh = delivery.items.filter(({ isDuplicate }) => !isDuplicate);
    switch (delivery.intake) {
      case 'plays':
        counts.play_events += length;
        counts.plays += fresh.length;
        if (this.#remember)
          this.#rememberPlays(
            delivery.vendor,
            fresh.map(({ event }) => event as PopEvent),
          );
        return;
      case 'detections':
        counts.detection_events += length;
        counts.detections += fresh.length;
        return;
      case 'heartbeats':
        counts.heartbeat_events += length;
        if (this.#remember) this.#rememberHeartbeats(fresh.map(({ event }) => event as Heartbeat));
        return;
      case 'intervals':
        counts.interval_events += length;
    }
  }

  #rememberPlays(vendor: string, plays: readonly PopEvent[]): void {
    const name = this.#network.vendors.get(vendor) ?? vendor;
    for (const { eventId } of plays) this.plays.add(playKey(name, eventId));
  }

  #rememberHeartbeats(heartbeats: readonly Heartbeat[]): void {
    for (const { feederId, at } of heartbeats) {
      if (feederId === undefined) continue;
      const times = this.heartbeats.get(feederId);
      if (times) times.push(Date.parse(at));
      else this.heartbeats.set(feederId, [Date.parse(at)]);
    }
  }

  get counts(): SentCounts {
    const { plays, play_events: events } = this.#counts;
    return { network_id: this.#network.id, duplicates: events - plays, ...this.#counts };
  }
}
