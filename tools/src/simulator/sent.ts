import type { Heartbeat, PopEvent } from '@popsvc/contracts/commands';
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
  /** Each sending of one counts. */
  readonly heartbeat_events: number;
  readonly interval_events: number;
}

/** A play as reports tell it apart: its player's name and its id. */
export const playKey = (playerName: string, eventId: string): string => `${playerName}\n${eventId}`;

/** Counts what is sent of a network; with `remember` it knows every play by its key, and when each feeder beat. */
export class Sent {
  readonly plays = new Set<string>();
  /** Beats of feeders by feeder, ms since 1970, in no order. */
  readonly beats = new Map<number, number[]>();
  readonly #network: NetworkWorld;
  readonly #remember: boolean;
  readonly #counts = {
    plays: 0,
    play_events: 0,
    detections: 0,
    detection_events: 0,
    heartbeat_events: 0,
    interval_events: 0,
  };

  constructor(network: NetworkWorld, remember: boolean) {
    this.#network = network;
    this.#remember = remember;
  }

  note(delivery: Delivery): void {
    const counts = this.#counts;
    const { length } = delivery.items;
    const fresh = delivery.items.filter(({ again }) => !again);
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
        if (this.#remember) this.#rememberBeats(fresh.map(({ event }) => event as Heartbeat));
        return;
      case 'intervals':
        counts.interval_events += length;
    }
  }

  #rememberPlays(vendor: string, plays: readonly PopEvent[]): void {
    const name = this.#network.vendors.get(vendor) ?? vendor;
    for (const { eventId } of plays) this.plays.add(playKey(name, eventId));
  }

  #rememberBeats(heartbeats: readonly Heartbeat[]): void {
    for (const { feederId, at } of heartbeats) {
      if (feederId === undefined) continue;
      const beats = this.beats.get(feederId);
      if (beats) beats.push(Date.parse(at));
      else this.beats.set(feederId, [Date.parse(at)]);
    }
  }

  get counts(): SentCounts {
    const { plays, play_events: events } = this.#counts;
    return { network_id: this.#network.id, duplicates: events - plays, ...this.#counts };
  }
}
