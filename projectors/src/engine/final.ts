/** Ends an incarnation: telling the batch again in the same life cannot help. */
export class RunEnded extends Error {}

/** The lease is held by somebody else or was lost: this incarnation writes nothing more. */
export class LeaseLost extends RunEnded {
  override readonly name = 'LeaseLost';
}

/** ClickHouse was restarted; what was not on disk may be gone, and the next incarnation goes back for it. */
export class ServerRestarted extends RunEnded {
  override readonly name = 'ServerRestarted';
}
