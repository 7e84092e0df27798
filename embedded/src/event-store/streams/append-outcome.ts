export type AppendOutcome =
  /** `revision` is the last one written, -1 if the stream is still empty; no position when the event is hidden. */
  | { readonly is: 'appended'; readonly revision: number; readonly position: number | undefined }
  | { readonly is: 'wrong-version'; readonly current: number }
  | { readonly is: 'deleted' };
